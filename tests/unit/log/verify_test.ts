import { assertEquals } from "@std/assert";
import { Fold } from "../../../src/log/fold.ts";
import { headerNames, type LogMessage } from "../../../src/log/log_message.ts";
import type { Pod } from "../../../src/log/pod.ts";
import { type OutputKind } from "../../../src/log/subjects.ts";
import {
  type Difference,
  Verification,
  type VerificationCounts,
  type VerifiedFrom,
} from "../../../src/log/verify.ts";
import { type Body, bodyOf, bytesOf, MemoryLog, MemoryWorker, subjects } from "../../helpers/memory_log.ts";

/** A log whose inputs are answered as they come, and may be doctored afterwards. */
class AnsweredLog {
  readonly log = new MemoryLog();
  readonly #worker = new MemoryWorker(this.log);
  #calls = 0;

  /** Publishes an input and its answer; gives the answer. */
  publish(rest: string, content: unknown, pod = "p"): LogMessage {
    this.log.publish(subjects.input(pod, rest), content);
    const [output] = this.#worker.settle();
    if (!output) throw new Error(`Expected an output for ${rest}`);
    return output;
  }

  call(tool: string, args: unknown, fields: Body = {}, pod = "p"): LogMessage {
    return this.publish(`call.${tool}`, { call_id: `c${++this.#calls}`, arguments: args, ...fields }, pod);
  }

  /** Puts another message in an output's place. */
  replace(output: LogMessage, change: (body: Body) => unknown, kind?: OutputKind): void {
    const data = bytesOf(change(bodyOf(output)));
    const subject = kind ? subjects.output("p", kind) : output.subject;
    const place = this.log.messages.indexOf(output);
    this.log.messages[place] = { ...output, data, subject, header: (name) => output.header(name) };
  }

  /** The pods as the messages up to a seq made them. */
  podsAt(lastSeq: number): readonly Pod[] {
    const fold = new Fold(subjects);
    for (const message of this.log.messages) if (message.seq <= lastSeq) fold.take(message);
    return [...fold.pods.values()].map(({ pod }) => pod);
  }

  verify(
    start: VerifiedFrom = { afterSeq: 0, pods: [] },
  ): { readonly found: readonly string[]; readonly counts: VerificationCounts } {
    const found: Difference[] = [];
    const verification = new Verification(subjects, (difference) => found.push(difference), start);
    for (const message of this.log.messages) if (message.seq > start.afterSeq) verification.take(message);
    const counts = verification.finish();
    return { found: found.map(({ pod, inputSeq, text }) => `${pod} ${inputSeq}: ${text}`), counts };
  }
}

const storeDiffers = "p null: the store of the records differs in the end from the one decided now:";

/** Of everything that an input can lead to. */
function fullLog(): AnsweredLog {
  const log = new AnsweredLog();
  log.call("TaskCreate", { subject: "a" }, { call_id: "same", agent: "al" });
  log.call("TaskCreate", { subject: "a" }, { call_id: "same", agent: "al" });
  log.call("TaskCreate", { tasks: [{ subject: "b", blockedBy: [1] }, { subject: "c", blockedBy: ["$1"] }] });
  log.call("TaskClaim", { taskid: 1 }, { agent: "al" });
  log.call("TaskComplete", { taskid: 1 }, { agent: "al" });
  log.call("TaskClaim", {}, { agent: "bo", call_id: "claim" });
  log.call("TaskClaim", {}, { agent: "bo", call_id: "claim" });
  log.call("TaskGet", { taskid: 9 });
  log.call("TaskFly", {});
  log.call("TaskList", {});
  log.publish("compact.started", { compact_id: "k" });
  log.publish("compact.finished", { compact_id: "k" });
  log.publish("compact.finished", { compact_id: "k" });
  log.publish("compact.failed", { compact_id: "k2" });
  log.publish("agent.exited", { event_id: "e", agent: "bo" });
  log.publish("agent.exited", { event_id: "e", agent: "bo" });
  const entries = [{
    type: "tool_call",
    call_id: "r1",
    name: "TaskCreate",
    arguments: { subject: "restored" },
  }];
  log.publish("session.restore", { restore_id: "r", entries });
  log.publish("session.restore", { restore_id: "r", entries });
  log.publish("session.restore", { restore_id: "r2", entries, mode: "replace" });
  log.call("TaskCreate", { subject: "restored" }, { call_id: "r1" });
  log.publish("session.closed", { event_id: "x" });
  log.call("TaskCreate", { subject: "again" }, {}, "q");
  log.publish("call.TaskList", "no json");
  log.publish("nothing.known", {});
  return log;
}

Deno.test("Verification finds nothing in a log that decides to what it says", () => {
  assertEquals(fullLog().verify(), {
    found: [],
    counts: { pods: 2, verified: 24, kept: 0, unanswered: 0 },
  });
});

Deno.test("Verification goes on from saved pods at any place, also from such that are ahead of it", () => {
  const log = fullLog();
  const { length } = log.log.messages;
  for (let afterSeq = 0; afterSeq <= length; afterSeq++) {
    // Each answer is behind its input; a checkpoint includes all inputs up to its position.
    for (const savedSeq of [afterSeq + afterSeq % 2, afterSeq + 4]) {
      const { found, counts } = log.verify({ afterSeq, pods: log.podsAt(savedSeq) });
      assertEquals([afterSeq, savedSeq, found, counts.unanswered], [afterSeq, savedSeq, [], 0]);
    }
  }
});

Deno.test("Verification from saved pods finds what is recorded otherwise behind them, and nothing before", () => {
  const log = new AnsweredLog();
  log.replace(log.call("TaskCreate", { subject: "a" }), (body) => ({ ...body, duplicate: true }));
  const saved = log.podsAt(2);
  log.replace(
    log.call("TaskUpdate", { taskid: 1, status: "completed" }),
    (body) => ({ ...body, changes: [] }),
  );
  assertEquals(log.verify({ afterSeq: 2, pods: saved }), {
    found: [
      'p 3: changes recorded as [], decided now [{"taskid":1,"status":"completed"}]',
      `${storeDiffers} task 1`,
    ],
    counts: { pods: 1, verified: 1, kept: 0, unanswered: 0 },
  });
});

Deno.test("Verification finds each thing that an output says otherwise", () => {
  const created = { taskid: 1, status: "pending", description: "" };
  const doctored: readonly [change: (body: Body) => unknown, found: string][] = [
    [
      (body) => ({ ...body, changes: [{ ...created, subject: "x" }] }),
      'changes recorded as [{"taskid":1,"status":"pending","description":"","subject":"x"}], ' +
      'decided now [{"taskid":1,"status":"pending","subject":"a","description":""}]',
    ],
    [(body) => ({ ...body, duplicate: true }), "duplicate recorded as true, decided now false"],
    [
      (body) => ({ ...body, result: { structuredContent: { error: { code: "store_full" } } } }),
      'error recorded as "store_full", decided now null',
    ],
  ];
  for (const [change, expected] of doctored) {
    const log = new AnsweredLog();
    log.replace(log.call("TaskCreate", { subject: "a" }), change);
    assertEquals(log.verify().found[0], `p 1: ${expected}`);
  }
  const log = new AnsweredLog();
  log.replace(
    log.publish("session.closed", { event_id: "e" }),
    (body) => ({ ...body, reset: { next_taskid: 7 } }),
  );
  assertEquals(log.verify().found, [
    'p 1: reset recorded as {"next_taskid":7}, decided now {"next_taskid":1}',
    `${storeDiffers} the next taskid`,
  ]);
});

Deno.test("Verification finds a call that a repeat of would not be recognised", () => {
  const log = new AnsweredLog();
  const output = log.call("TaskCreate", { subject: "a" });
  const header = (name: string) => name === headerNames.call ? "other" : output.header(name);
  log.log.messages[log.log.messages.indexOf(output)] = { ...output, header };
  const [found = ""] = log.verify().found;
  assertEquals(found.replace(/now ".{22}"$/, "now …"), 'p 1: call hash recorded as "other", decided now …');
});

Deno.test("Verification compares the stores in the end", () => {
  const log = new AnsweredLog();
  const first = log.call("TaskCreate", { subject: "a" });
  log.call("TaskCreate", { subject: "b" });
  log.call("TaskUpdate", { taskid: 1, status: "completed" });
  log.replace(first, (body) => ({
    ...body,
    changes: [{ taskid: 1, status: "pending", subject: "x", description: "" }],
  }));
  assertEquals(log.verify().found.slice(1), [`${storeDiffers} task 1`]);
});

Deno.test("Verification follows what it decides: what depends on a doctored output differs too", () => {
  const log = new AnsweredLog();
  log.replace(log.call("TaskCreate", { subject: "a" }), (body) => ({ ...body, changes: [] }));
  const later = log.call("TaskUpdate", { taskid: 1, status: "completed" });
  log.replace(later, (body) => ({ ...body, changes: [] }));
  const { found } = log.verify();
  assertEquals(found.length, 3);
  assertEquals(found[2], `${storeDiffers} task 1, the next taskid`);
});

Deno.test("Verification finds an input that is rejected now, or was then", () => {
  const log = new AnsweredLog();
  const rejected = (body: Body) => ({ v: 1, rules: 1, input_seq: body.input_seq, reason: "not_json" });
  log.replace(log.call("TaskGet", { taskid: 9 }), rejected, "rejected");
  assertEquals(log.verify().found, [
    'p 1: kind recorded as "rejected", decided now "result"; ' +
    'error recorded as "not_json", decided now "task_not_found"',
  ]);
});

Deno.test("Verification finds outputs that answer nothing, or what is answered", () => {
  const log = new AnsweredLog();
  log.call("TaskCreate", { subject: "a" });
  const output = { v: 1, rules: 1, changes: [] };
  log.log.publish(subjects.output("p", "result"), output, { [headerNames.input]: "1" });
  log.log.publish(subjects.output("q", "result"), output, { [headerNames.input]: "1" });
  log.log.publish(subjects.output("p", "result"), output, { [headerNames.input]: "6" });
  log.log.publish(subjects.output("p", "result"), output);
  log.log.publish("tasks.p.out.else", output, { [headerNames.input]: "1" });
  assertEquals(log.verify(), {
    found: [
      "p 1: a second output is recorded at seq 3",
      'q null: the output at seq 4 answers no input before it: it names "1"',
      'p null: the output at seq 5 answers no input before it: it names "6"',
      "p null: the output at seq 6 answers no input before it: it names null",
      'p null: the output at seq 7 is of no known kind: got "out.else"',
    ],
    counts: { pods: 2, verified: 1, kept: 0, unanswered: 0 },
  });
});

Deno.test("Verification decides an unanswered input at its place, and judges what lies behind it", () => {
  const log = new AnsweredLog();
  const first = log.call("TaskCreate", { subject: "a" });
  log.call("TaskCreate", { subject: "b" });
  log.log.delete(first.seq);
  assertEquals(log.verify(), { found: [], counts: { pods: 1, verified: 1, kept: 0, unanswered: 1 } });
});

Deno.test("Verification takes other rules, and faults of the worker, as they are recorded", () => {
  const log = new AnsweredLog();
  log.replace(log.call("TaskCreate", { subject: "a" }), (body) => ({
    ...body,
    rules: 0,
    changes: [{ taskid: 1, status: "pending", subject: "by other rules", description: "" }],
  }));
  const fault = log.call("TaskUpdate", { taskid: 1, status: "completed" });
  log.replace(fault, ({ input_seq }) => ({ v: 1, rules: 1, input_seq, reason: "fault" }), "rejected");
  log.call("TaskUpdate", { taskid: 1, status: "completed" }, { call_id: "again" });
  const { counts } = log.verify();
  assertEquals(counts, { pods: 1, verified: 1, kept: 2, unanswered: 0 });
});

Deno.test("Verification says where it cannot go on, and goes on with the other pods", () => {
  const log = new AnsweredLog();
  log.replace(log.call("TaskCreate", { subject: "a" }), (body) => ({ ...body, v: 2 }));
  log.call("TaskCreate", { subject: "b" });
  log.call("TaskCreate", { subject: "c" }, {}, "q");
  assertEquals(log.verify(), {
    found: [
      "p 1: Cannot apply the output at seq 2: this worker knows v 1: got 2; " +
      "nothing of this pod is verified from here on",
    ],
    counts: { pods: 2, verified: 1, kept: 0, unanswered: 0 },
  });
});

Deno.test("Verification expects an input whose pod is not legal to be rejected for that", () => {
  const log = new AnsweredLog();
  log.log.publish("tasks.$.in.call.TaskList", "{}");
  const rejected = { v: 1, rules: 1, input_seq: 1, reason: "bad_pod" };
  log.log.publish("tasks._.out.rejected", rejected, { [headerNames.input]: "1" });
  assertEquals(log.verify(), { found: [], counts: { pods: 1, verified: 1, kept: 0, unanswered: 0 } });
});
