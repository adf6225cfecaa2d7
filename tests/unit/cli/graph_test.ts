import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Board, BoardView } from "../../../src/cli/board.ts";
import { graph } from "../../../src/cli/graph.ts";
import { graphLines } from "../../../src/cli/graph_lines.ts";
import { paint } from "../../../src/cli/painted_line.ts";
import { watch } from "../../../src/cli/watch.ts";
import { OperatorError, UsageError } from "../../../src/errors.ts";
import type { TaskStore } from "../../../src/tasks/store.ts";
import { MemoryLog, MemoryWorker, subjects } from "../../helpers/memory_log.ts";
import { MemoryWorld, runCommand } from "../../helpers/memory_world.ts";
import { storeOf } from "../../helpers/stores.ts";

const view: BoardView = { nowMs: 61_000, linesMax: Infinity, fresh: new Set() };

function textsOf(store: TaskStore, more: Partial<BoardView> = {}, isColored = false): readonly string[] {
  const board: Board = { pod: "p", store, waitingCount: 0, notServed: null };
  return graphLines(board, { ...view, ...more }).map((line) => paint(line, isColored));
}

const store = storeOf(
  { status: "completed", subject: "schema" },
  { status: "inprogress", subject: "endpoints", owner: "alice", blockedBy: [1] },
  { subject: "tests", blockedBy: [2, 9] },
  { subject: "docs", blockedBy: [1] },
  { subject: "talk", owner: "bob", blockedBy: [1] },
  { status: "inprogress", subject: "early", blockedBy: [2] },
  { status: "deleted", subject: "gone" },
);

Deno.test("graphLines() shows how each task stands below what it waits for", () => {
  assertEquals(textsOf(store), [
    "p: 7 tasks, 3 pending, 2 inprogress, 1 completed, 1 deleted",
    "? 9 missing",
    "└─ ⊘ 3 tests  waits for 2, 9",
    "✓ 1 schema",
    "├─ ▸ 2 endpoints  running @alice",
    "│  ├─ ⊘ 3 tests  (above)",
    "│  └─ ▸ 6 early  running, though it waits for 2",
    "├─ ◦ 4 docs  ready",
    "└─ ◦ 5 talk  claimed @bob",
    "✗ 7 gone",
  ]);
});

Deno.test("graphLines() drops what is done and nobody waits for first, then the end, where there is no room", () => {
  assertEquals(textsOf(store, { linesMax: 10 }).length, 10);
  assertEquals(textsOf(store, { linesMax: 5 }), [
    "p: 7 tasks, 3 pending, 2 inprogress, 1 completed, 1 deleted",
    "? 9 missing",
    "└─ ⊘ 3 tests  waits for 2, 9",
    "✓ 1 schema",
    "and 6 more",
  ]);
  const done = storeOf({ status: "completed" }, { status: "completed", blockedBy: [1] }, { subject: "left" });
  assertEquals(textsOf(done, { linesMax: 3 }).slice(1), ["◦ 3 left  ready", "and 2 more"]);
});

Deno.test("graphLines() paints signs, and marks what changed a moment ago", () => {
  assertEquals(
    textsOf(storeOf({ subject: "a" }), { fresh: new Set([1]) }, true)[1],
    [
      "\x1b[2m\x1b[0m",
      "\x1b[36m◦\x1b[0m 1 ",
      "\x1b[1ma\x1b[0m",
      "\x1b[2m  ready\x1b[0m",
    ].join(""),
  );
});

Deno.test("graphLines() shows subjects in one line, whatever they hold", () => {
  assertEquals(textsOf(storeOf({ subject: "\x1b[2J\u202e" }))[1], String.raw`◦ 1 \u001b[2J\u202e  ready`);
});

function worldWith(...tasks: readonly unknown[]): MemoryWorld {
  const log = new MemoryLog();
  log.publish(subjects.input("p", "call.TaskCreate"), { call_id: "c", arguments: { tasks } });
  new MemoryWorker(log).settle();
  return new MemoryWorld({ log });
}

const twoTasks = [{ subject: "a" }, { subject: "b", blockedBy: ["$1"] }];

Deno.test("graph prints a tree, as watch --graph does", async () => {
  const printed = { code: 0, out: "p: 2 tasks, 2 pending\n◦ 1 a  ready\n└─ ⊘ 2 b  waits for 1\n", err: "" };
  assertEquals(await runCommand(worldWith(...twoTasks), graph, "p"), printed);
  assertEquals(await runCommand(worldWith(...twoTasks), watch, "p", "--once", "--graph"), printed);
});

Deno.test("graph --format prints Mermaid text and SVG", async () => {
  const { out: mermaid } = await runCommand(worldWith(...twoTasks), graph, "p", "--format", "mermaid");
  assertEquals(mermaid.split("\n").slice(0, 4), [
    "flowchart LR",
    '  t1["◦ 1 a"]:::ready',
    '  t2["⊘ 2 b"]:::blocked',
    "  t1 --> t2",
  ]);
  const { out: svg } = await runCommand(worldWith(...twoTasks), graph, "p", "--format", "svg");
  assertStringIncludes(svg, '<path class="arrow waiting"');
});

Deno.test("watch --graph wants to know of which pod", async () => {
  await assertRejects(() => runCommand(worldWith(...twoTasks), watch, "--graph"), UsageError, "name it");
  const { out } = await runCommand(worldWith(...twoTasks), watch, "--graph", "--once");
  assertEquals(out, "p: 2 tasks, 2 pending\n◦ 1 a  ready\n└─ ⊘ 2 b  waits for 1\n");
});

Deno.test("graph refuses formats that there are not, and pictures that nobody could read", async () => {
  const unknown = await assertRejects(
    () => runCommand(worldWith(), graph, "p", "--format", "png"),
    UsageError,
  );
  assertEquals(unknown.message, 'Cannot draw: --format is tree, mermaid, svg: got "png"');
  const dense = Array.from({ length: 60 }, (_, index) => ({
    subject: "s",
    blockedBy: Array.from({ length: index }, (_, blocker) => `$${blocker + 1}`),
  }));
  const large = await assertRejects(
    () => runCommand(worldWith(...dense), graph, "p", "--format", "svg"),
    OperatorError,
  );
  assertEquals(
    large.message,
    "Cannot draw: a picture has at most 500 tasks and 1000 arrows, use --format tree: got 60 and 1770",
  );
});
