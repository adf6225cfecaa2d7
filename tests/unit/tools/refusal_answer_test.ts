import { assertEquals } from "@std/assert";
import { overview } from "../../../src/tasks/list_text.ts";
import { refuse } from "../../../src/tasks/refusal.ts";
import { currentAnswer, refusalAnswer } from "../../../src/tools/answer.ts";
import { after, storeOf, update } from "../../helpers/stores.ts";

Deno.test("currentAnswer() shows the tasks of a forgotten answer as they are now", () => {
  const store = after(storeOf({ description: "d" }, {}), update(1, { status: "completed" }));
  const summary = `Already done before; as it is now\n${overview(store)}`;
  const task = { taskid: 1, status: "completed", subject: "task 1", description: "d" };
  assertEquals(currentAnswer(store, [1]), {
    summary,
    result: {
      content: [{ type: "text", text: `${summary}\n${JSON.stringify(task)}` }],
      structuredContent: { task },
      isError: false,
    },
  });
  assertEquals(currentAnswer(store, [1, 2, 9]).result, {
    content: [{
      type: "text",
      text: `${summary}\n{"taskid":1,"subject":"task 1"}\n{"taskid":2,"subject":"task 2"}`,
    }],
    structuredContent: { tasks: [{ taskid: 1, subject: "task 1" }, { taskid: 2, subject: "task 2" }] },
    isError: false,
  });
});

Deno.test("refusalAnswer() says what is wrong and shows one correct call (R7)", () => {
  const text = 'Refused (blocked): task 1 still waits for 2\nA correct call: TaskClaim {"taskid":1}';
  assertEquals(
    refusalAnswer("TaskClaim", refuse("blocked", "task 1 still waits for 2", { openBlockers: [2] })),
    {
      summary: text,
      result: {
        content: [{ type: "text", text }],
        structuredContent: {
          error: { code: "blocked", message: "task 1 still waits for 2", openBlockers: [2] },
        },
        isError: true,
      },
    },
  );
});

Deno.test("refusalAnswer() to no tool of ours leaves the list of tools to the refusal", () => {
  const { result } = refusalAnswer(
    null,
    refuse("unknown_tool", "there is no tool TodoWrite: the tools are …"),
  );
  assertEquals(
    result.content[0]?.text,
    "Refused (unknown_tool): there is no tool TodoWrite: the tools are …",
  );
});
