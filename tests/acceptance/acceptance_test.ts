/** 37 recorded sessions and the cases made from public reports, each against a worker process on a real server. */
import { assertEquals } from "@std/assert";
import { everyInputHasOneOutput } from "../helpers/session_log.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { type Case, loadInputs, loadSessions } from "./cases.ts";
import { answerOfResult, assertExpected } from "./expectation.ts";
import { playCase, type Played, playFinal, Stage } from "./player.ts";

for (const [name, cases] of [["recorded session", loadSessions()], ["case", loadInputs()]] as const) {
  Deno.test(`every ${name} is answered as it must be, and so is its list after kill -9`, async (t) => {
    await using server = await startTestServer();
    await using stage = await Stage.open(server);
    const played = new Map<Case, Played>();
    for (const one of cases) {
      await t.step({
        name: `${name} ${one.id}${one.about ? `: ${one.about}` : ""}`,
        fn: async () => {
          played.set(one, await playCase(stage, one));
        },
        // A step may start the worker anew, which the whole test ends.
        sanitizeOps: false,
        sanitizeResources: false,
      });
    }
    await stage.restart();
    await t.step("the lists are the same after kill -9 of the worker", async () => {
      for (const [one, before] of played) await playFinal(stage, before, one);
    });
    await t.step("every input has exactly one output", () => everyInputHasOneOutput(server));
  });
}

Deno.test("there are 37 sessions, and cases enough", () => {
  assertEquals([loadSessions().length, loadInputs().length], [37, 49]);
});

Deno.test("assertExpected() finds what a case does not expect", () => {
  const answer = answerOfResult({
    isError: false,
    content: [{ type: "text", text: "Created task 1" }],
    structuredContent: {
      task: { taskid: 1, subject: "a" },
      tasks: [{ taskid: 1 }],
      unblocked: [{ taskid: 2 }],
    },
  }, { changes: [{ taskid: 1, subject: "a" }], warnings: ["ignored x"], duplicate: true });
  const right = {
    ok: true,
    taskid: 1,
    task: { subject: "a" },
    tasks: [{ taskid: 1 }],
    text: ["task", "1"],
    no_text: "task 2",
    warning: "ignored",
    duplicate: true,
    unblocked: [2],
    changed: ["subject"],
    rejected: false,
  };
  const wrong = [
    { ok: false },
    { error: "blocked" },
    { taskid: 2 },
    { task: { subject: "b" } },
    { task: { owner: "b" } },
    { tasks: [{ taskid: 2 }] },
    { tasks: [] },
    { tasks: [{ taskid: 1 }, { taskid: 2 }] },
    { tasks: 2 },
    { text: ["task", "2"] },
    { no_text: "Created" },
    { warning: false },
    { warning: "other" },
    { duplicate: false },
    { unblocked: [] },
    { changed: [] },
    { rejected: true },
  ];
  const isRight = (expected: Parameters<typeof assertExpected>[1]): boolean => {
    try {
      assertExpected(answer, expected, "");
      return true;
    } catch {
      return false;
    }
  };

  assertEquals(isRight(right), true);
  assertEquals(wrong.filter(isRight), []);
});
