import { assertEquals } from "@std/assert";
import { Subjects } from "../../../src/log/subjects.ts";

const subjects = new Subjects("tasks");

for (
  const [subject, parsed] of [
    ["tasks.pod-1.in.call.TaskCreate", { pod: "pod-1", direction: "in", rest: "call.TaskCreate" }],
    ["tasks.p.in.session.restore", { pod: "p", direction: "in", rest: "session.restore" }],
    ["tasks.p.out.result", { pod: "p", direction: "out", rest: "result" }],
    ["tasks.p.read.TaskList", { pod: "p", direction: "read", rest: "TaskList" }],
    ["tasks._.out.rejected", { pod: "_", direction: "out", rest: "rejected" }],
    ["tasks._.in.call.TaskList", { pod: "_", direction: "in", rest: "call.TaskList" }],
    ["tasks.p*d.in.call.TaskList", { pod: "_", direction: "in", rest: "call.TaskList" }],
    ["tasks.日本.in.compact.started", { pod: "_", direction: "in", rest: "compact.started" }],
    [`tasks.${"x".repeat(65)}.in.call.TaskList`, { pod: "_", direction: "in", rest: "call.TaskList" }],
    ["tasks.in.call", null],
    ["tasks.p.in", null],
    ["tasks.p.inx", null],
    ["tasks.p.log.result", null],
    ["tasks", null],
    ["tasks.", null],
    ["other.p.in.call.TaskList", null],
    ["tasksx.p.in.call.TaskList", null],
  ] as const
) {
  Deno.test(`parse() of ${subject.slice(0, 60)}`, () => assertEquals(subjects.parse(subject), parsed));
}

Deno.test("Subjects builds what it parses, under a prefix of several tokens, too", () => {
  const prefixed = new Subjects("acme.tasks");
  assertEquals(prefixed.captured, ["acme.tasks.*.in.>", "acme.tasks.*.out.>"]);
  assertEquals([prefixed.allInputs, prefixed.allReads, prefixed.ofPod("p")], [
    "acme.tasks.*.in.>",
    "acme.tasks.*.read.*",
    "acme.tasks.p.>",
  ]);
  assertEquals(prefixed.parse(prefixed.input("p", "call.TaskGet")), {
    pod: "p",
    direction: "in",
    rest: "call.TaskGet",
  });
  assertEquals(prefixed.parse(prefixed.output("p", "inject")), {
    pod: "p",
    direction: "out",
    rest: "inject",
  });
  assertEquals(prefixed.parse("tasks.p.in.call.TaskGet"), null);
});
