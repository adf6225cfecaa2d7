import { assertEquals } from "@std/assert";
import { noEffect } from "../../../src/log/pod.ts";
import { rejectedOutput } from "../../../src/log/outputs.ts";
import { RejectedInput } from "../../../src/log/rejected_input.ts";
import { answeredOf, answerInput } from "../../../src/worker/answering.ts";
import type { Answered } from "../../../src/worker/observer.ts";
import { Pod } from "../../../src/log/pod.ts";
import { messageOf } from "../../helpers/memory_log.ts";

/** What an observer is told of an input, decided by an empty pod. */
function told(rest: string, body: unknown, pod = "p"): Answered {
  const message = messageOf(1, `tasks.${pod}.in.${rest}`, body);
  const waiting = { message, isBare: false, rest, output: null };
  const outcome = answerInput(new Pod(pod), waiting, () => {});
  if ("isRepeat" in outcome) throw new Error("An empty pod knows no repeat");
  return answeredOf(waiting, outcome);
}

const create = { call_id: "c", arguments: { subject: "x" } };
const call = { kind: "call", tool: null, refusal: null, rejection: null } as const;

const cases: readonly (readonly [about: string, rest: string, body: unknown, Answered])[] = [
  ["a call", "call.TaskCreate", create, { ...call, tool: "TaskCreate" }],
  ["a call by an alias", "call.create_task", create, { ...call, tool: "TaskCreate" }],
  ["a refused call", "call.TaskGet", { call_id: "c", arguments: { taskid: 1 } }, {
    ...call,
    tool: "TaskGet",
    refusal: "task_not_found",
  }],
  ["an unknown tool", "call.rm_rf", create, { ...call, refusal: "unknown_tool" }],
  ["a tool that is no token", "call.a.b", create, { ...call, rejection: "unknown_input" }],
  ["a call without an id", "call.TaskList", {}, { ...call, tool: "TaskList", rejection: "bad_envelope" }],
  ["bytes that are no JSON", "call.TaskList", "{", { ...call, tool: "TaskList", rejection: "not_json" }],
  ["a compaction", "compact.started", { compact_id: "c" }, { ...call, kind: "compact.started" }],
  ["a refused exit", "agent.exited", { event_id: "e", agent: "" }, {
    ...call,
    kind: "agent.exited",
    refusal: "invalid_arguments",
  }],
  ["a refused restore", "session.restore", { restore_id: "r", entries: 1 }, {
    ...call,
    kind: "session.restore",
    refusal: "invalid_arguments",
  }],
  ["an unknown input", "drop.table", {}, { ...call, kind: null, rejection: "unknown_input" }],
  ["a name of every object", "constructor", {}, { ...call, kind: null, rejection: "unknown_input" }],
];

for (const [about, rest, body, expected] of cases) {
  Deno.test(`answeredOf() of ${about}`, () => assertEquals(told(rest, body), expected));
}

Deno.test("answeredOf() of an input whose pod is no legal one", () => {
  assertEquals(told("call.TaskList", create, "_"), { ...call, tool: "TaskList", rejection: "bad_pod" });
});

Deno.test("answeredOf() of an answer that was too large", () => {
  const message = messageOf(1, "tasks.p.in.call.TaskList", create);
  const output = rejectedOutput({ ...message, inputSeq: 1 }, new RejectedInput("too_large", "it was"));
  const waiting = { message, isBare: false, rest: "call.TaskList", output: null };
  assertEquals(answeredOf(waiting, { output, effect: noEffect, rejection: "too_large" }), {
    ...call,
    tool: "TaskList",
    rejection: "too_large",
  });
});
