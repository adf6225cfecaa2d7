import { assertEquals } from "@std/assert";
import { Pod } from "../../../src/log/pod.ts";
import { PodLog, unservedMax, waitingBodiesMax } from "../../../src/log/pod_log.ts";
import { viewsOf } from "../../helpers/stores.ts";
import { messageOf, subjects } from "../../helpers/memory_log.ts";

/** The log of pod `p`, as a worker reads it. */
class Reader {
  readonly log: PodLog;

  constructor(pod = new Pod("p")) {
    this.log = new PodLog(pod);
  }

  /** An input that would create a task, at a seq. */
  input(seq: number): this {
    return this.#take(seq, "in.call.TaskCreate", { call_id: `c${seq}` }, {});
  }

  /** An input whose caller waits for a reply. */
  asking(seq: number): this {
    return this.#take(seq, "in.call.TaskList", { call_id: `c${seq}` }, { "Tasuki-Reply": `_INBOX.${seq}` });
  }

  /** A result that creates a task, at a seq, as the answer to an input. */
  created(seq: number, inputSeq: unknown, taskid: number, v = 1): this {
    const change = { taskid, status: "pending", subject: `by ${seq}`, description: "" };
    const result = { structuredContent: { task: change } };
    const headers = { "Tasuki-Input": `${inputSeq}`, "Tasuki-Call": `hash ${seq}` };
    return this.#take(seq, "out.result", { v, call_id: `c${inputSeq}`, changes: [change], result }, headers);
  }

  output(seq: number, kind: string, body: unknown, inputSeq: number): this {
    return this.#take(seq, `out.${kind}`, body, { "Tasuki-Input": `${inputSeq}` });
  }

  #take(seq: number, rest: string, body: unknown, headers: { readonly [name: string]: string }): this {
    const message = messageOf(seq, `tasks.p.${rest}`, body, headers);
    const parsed = subjects.parse(message.subject);
    if (parsed) this.log.take(message, parsed);
    return this;
  }

  /** What has taken effect, and what waits. */
  get state() {
    const { pod, head, waitingCount, notServed } = this.log;
    return {
      made: viewsOf(pod.store).map(({ subject }) => subject),
      inputSeq: pod.inputSeq,
      head: head?.message.seq ?? null,
      waiting: waitingCount,
      notServed,
    };
  }
}

const served = { notServed: null };

Deno.test("PodLog applies an answered input from its output, with the input's time, and remembers the call", () => {
  const reader = new Reader().input(1).created(4, 1, 1);
  assertEquals(reader.state, { made: ["by 4"], inputSeq: 1, head: null, waiting: 0, ...served });
  const { store, changedMs, calls } = reader.log.pod;
  assertEquals([store.tasks[0]?.createdMs, changedMs, calls.all()], [1_000, 1_000, [{
    inputSeq: 1,
    outputSeq: 4,
    hash: "hash 4",
    callId: "c1",
    taskids: [1],
    isRestored: false,
  }]]);
});

Deno.test("PodLog holds what follows an input without an output, and applies it in input order (R13)", () => {
  const reader = new Reader().input(1).input(2).input(3).created(4, 3, 2).created(5, 2, 1);
  assertEquals(reader.state, { made: [], inputSeq: 0, head: 1, waiting: 3, ...served });
  reader.output(6, "rejected", { v: 1 }, 1);
  assertEquals(reader.state, { made: ["by 5", "by 4"], inputSeq: 3, head: null, waiting: 0, ...served });
});

Deno.test("PodLog goes on behind an input that somebody decided and removed", () => {
  const reader = new Reader().input(1).input(2).created(3, 2, 1);
  const { head } = reader.log;
  if (head) reader.log.removeHead(head);
  reader.log.applyAnswered();
  assertEquals(reader.state, { made: ["by 3"], inputSeq: 2, head: null, waiting: 0, ...served });
});

Deno.test("PodLog counts the first of two outputs of one input (R2)", () => {
  const reader = new Reader().input(1).input(2).created(3, 2, 1).created(4, 2, 7).created(5, 1, 2).created(
    6,
    1,
    8,
  );
  assertEquals(reader.state, { made: ["by 3", "by 5"], inputSeq: 2, head: null, waiting: 0, ...served });
});

for (
  const [about, inputSeq] of [
    ["an input that comes later", 6],
    ["an input that is not there", 3],
    ["no input at all", "null"],
    ["words", "two"],
  ] as const
) {
  Deno.test(`PodLog does not count an output of ${about} (R2)`, () => {
    const reader = new Reader().input(1).created(5, inputSeq, 1).input(6);
    assertEquals(reader.state, { made: [], inputSeq: 0, head: 1, waiting: 2, ...served });
  });
}

Deno.test("PodLog does not count an output that lies before its input, and does count the one after it", () => {
  const early = new Reader();
  early.created(2, 5, 1).input(5).created(6, 5, 2);
  assertEquals(early.state, { made: ["by 6"], inputSeq: 5, head: null, waiting: 0, ...served });
});

Deno.test("PodLog is not served from an output of a kind on that it does not know: only a newer version can (R15)", () => {
  const reader = new Reader().input(1).output(2, "results", { v: 1 }, 1);
  assertEquals(reader.state.notServed, "Cannot apply the output at seq 2: its kind is unknown: got results");
});

Deno.test("PodLog takes each message once, whoever delivers it again", () => {
  const reader = new Reader().input(1).created(2, 1, 1).input(1).created(2, 1, 1).input(3).input(3).input(1);
  assertEquals(reader.state, { made: ["by 2"], inputSeq: 1, head: 3, waiting: 1, ...served });
});

Deno.test("PodLog of a saved pod passes over the inputs that it includes", () => {
  const pod = new Pod("p");
  pod.inputSeq = 4;
  const reader = new Reader(pod).input(3).input(4).input(6).created(7, 4, 1).created(8, 6, 2);
  assertEquals(reader.state, { made: ["by 8"], inputSeq: 6, head: null, waiting: 0, ...served });
});

Deno.test("PodLog is not served from an output with a newer version on, whatever comes (R15)", () => {
  const reader = new Reader().input(1).created(2, 1, 1).input(3).created(4, 3, 2, 2).input(5).created(
    6,
    5,
    3,
  );
  assertEquals(reader.state, {
    made: ["by 2"],
    inputSeq: 1,
    head: null,
    waiting: 0,
    notServed: "Cannot apply the output at seq 4: this worker knows v 1: got 2",
  });
});

Deno.test("PodLog is not served where a record cannot be applied", () => {
  const reader = new Reader().input(1).output(
    2,
    "result",
    { v: 1, changes: [{ taskid: 1, subject: "a" }] },
    1,
  );
  assertEquals(
    reader.state.notServed,
    "Cannot apply the log: Cannot make task 1: a new task has status, subject and description",
  );
});

Deno.test(`PodLog keeps the bytes of ${waitingBodiesMax} waiting inputs, and is given those of later ones`, () => {
  const reader = new Reader();
  for (let seq = 1; seq <= waitingBodiesMax + 2; seq++) reader.input(seq);
  for (let seq = 1; seq <= waitingBodiesMax; seq++) reader.created(1_000 + seq, seq, seq);
  const [first, last] = [waitingBodiesMax + 1, waitingBodiesMax + 2];
  const bare = reader.log.head;
  assertEquals([bare?.message.seq, bare?.isBare, bare?.message.data.length], [first, true, 0]);
  const full = messageOf(last, "tasks.p.in.call.TaskCreate", { call_id: "c" });
  reader.log.fill([full]);
  const { head } = reader.log;
  assertEquals([head?.message === full, head?.isBare, reader.log.waitingCount], [true, false, 1]);
});

Deno.test("PodLog that is not served names those who wait for a reply in vain, each once", () => {
  const reader = new Reader().asking(1).asking(2).input(3).output(4, "results", { v: 1 }, 1);
  reader.asking(5).asking(6).created(7, 6, 1);
  assertEquals(reader.log.takeUnserved(), [
    { inputSeq: 2, reply: "_INBOX.2" },
    { inputSeq: 5, reply: "_INBOX.5" },
  ]);
  assertEquals(reader.asking(8).log.takeUnserved(), [{ inputSeq: 8, reply: "_INBOX.8" }]);
  assertEquals(reader.log.takeUnserved(), []);
});

Deno.test(`PodLog that is not served remembers the last ${unservedMax} who wait for a reply`, () => {
  const reader = new Reader().asking(1).created(2, 1, 1, 2);
  for (let seq = 3; seq < 3 + unservedMax + 5; seq++) reader.asking(seq);
  const seqs = reader.log.takeUnserved().map(({ inputSeq }) => inputSeq);
  assertEquals([seqs.length, seqs[0], seqs.at(-1)], [unservedMax, 8, 7 + unservedMax]);
});
