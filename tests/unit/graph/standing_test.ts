import { assertEquals } from "@std/assert";
import { standingOf } from "../../../src/graph/standing.ts";
import { storeOf } from "../../helpers/stores.ts";

Deno.test("standingOf tells ready tasks from those that wait, and those that somebody has", () => {
  const store = storeOf(
    { status: "completed" },
    { status: "deleted" },
    { blockedBy: [1, 2] },
    { blockedBy: [1, 3], owner: "w" },
    { owner: "w" },
    { status: "inprogress", blockedBy: [3] },
    { blockedBy: [9] },
  );
  assertEquals(store.tasks.map(standingOf), [
    "done",
    "deleted",
    "ready",
    "blocked",
    "claimed",
    "running",
    "blocked",
  ]);
});
