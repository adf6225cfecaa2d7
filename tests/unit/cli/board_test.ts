import { assertEquals } from "@std/assert";
import { type Board, boardLines, type BoardView } from "../../../src/cli/board.ts";
import { paint } from "../../../src/cli/painted_line.ts";
import type { TaskStore } from "../../../src/tasks/store.ts";
import { after, storeOf, update } from "../../helpers/stores.ts";

/** A minute after the tasks of `storeOf` were made. */
const view: BoardView = { nowMs: 61_000, linesMax: Infinity, fresh: new Set() };

function boardOf(store: TaskStore, more: Partial<Board> = {}): Board {
  return { pod: "p", store, waitingCount: 0, notServed: null, ...more };
}

function textsOf(board: Board, more: Partial<BoardView> = {}): readonly string[] {
  return boardLines(board, { ...view, ...more }).map((line) => paint(line, false));
}

Deno.test("boardLines() shows each task with its status, ages, owner and what it waits for", () => {
  const store = after(
    storeOf(
      { subject: "parse" },
      { subject: "test", activeForm: "Testing", owner: "alice" },
      { subject: "ship", blockedBy: [1, 2] },
      { subject: "drop", activeForm: "Dropping" },
    ),
    update(1, { status: "completed" }),
    update(2, { status: "inprogress" }),
    update(4, { status: "deleted" }),
  );
  assertEquals(textsOf(boardOf(store)), [
    "p: 4 tasks, 1 pending, 1 inprogress, 1 completed, 1 deleted",
    "      created  changed",
    " ✓ 1       1m      59s  parse",
    " ▸ 2       1m      59s  test  Testing  @alice",
    " ◦ 3       1m       1m  ship  waits for 2",
    " ✗ 4       1m      59s  drop",
  ]);
});

Deno.test("boardLines() marks what changed a moment ago", () => {
  const lines = textsOf(boardOf(storeOf({}, {})), { fresh: new Set([2]) });
  assertEquals(lines.slice(2), [" ◦ 1       1m       1m  task 1", "*◦ 2       1m       1m  task 2"]);
});

Deno.test("boardLines() says of an empty list and of a single task what they are", () => {
  assertEquals(textsOf(boardOf(storeOf())), ["p: 0 tasks"]);
  assertEquals(textsOf(boardOf(storeOf({})))[0], "p: 1 task, 1 pending");
});

Deno.test("boardLines() says that calls wait, or that the pod is not served", () => {
  const store = storeOf();
  assertEquals(textsOf(boardOf(store, { waitingCount: 1 }))[1], "1 call waits for a worker's answer");
  assertEquals(textsOf(boardOf(store, { waitingCount: 2 }))[1], "2 calls wait for a worker's answer");
  const notServed = textsOf(boardOf(store, { waitingCount: 2, notServed: "v 9\x1b" }));
  assertEquals(notServed.slice(1), ["not served by this version: v 9\\u001b"]);
});

Deno.test("boardLines() with little room shows what a reader would miss most, and counts the rest", () => {
  const many = storeOf(...Array.from({ length: 9 }, () => ({})));
  const store = after(
    many,
    update(2, { status: "deleted" }),
    update(3, { status: "completed" }),
    update(8, { status: "inprogress" }),
  );
  const shown = (linesMax: number, fresh: readonly number[] = []): readonly string[] =>
    textsOf(boardOf(store), { linesMax, fresh: new Set(fresh) }).slice(2)
      .map((line) => line.trim().replace(/^\*?[◦▸✓✗] +(\d+) .*/, "$1"));
  assertEquals(shown(11), ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  assertEquals(shown(10), ["1", "4", "5", "6", "7", "8", "9", "and 2 more"]);
  assertEquals(shown(6), ["1", "4", "8", "and 6 more"]);
  assertEquals(shown(6, [9, 3]), ["3", "8", "9", "and 6 more"]);
  assertEquals(shown(4), ["8", "and 8 more"]);
});

Deno.test("boardLines() lets no hostile text through", () => {
  const store = storeOf({ subject: "\x1b[2J\u202e", owner: "a", activeForm: "\x07" });
  const lines = textsOf(boardOf(after(store, update(1, { status: "inprogress" }))));
  assertEquals(lines[2], " ▸ 1       1m      59s  \\u001b[2J\\u202e  \\u0007  @a");
});
