/** A pod is the same however it was come by: decided live, folded from the log, decided again, or from a checkpoint. */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { Fold } from "../../src/log/fold.ts";
import { headerNames } from "../../src/log/log_message.ts";
import type { Pod } from "../../src/log/pod.ts";
import { PodLog } from "../../src/log/pod_log.ts";
import { decodePod, encodePod } from "../../src/log/saved_pod.ts";
import { type PodInput, podInputs } from "../helpers/pod_inputs.ts";
import { type Body, bodyOf, MemoryLog, MemoryWorker, subjects } from "../helpers/memory_log.ts";

const inputs = fc.tuple(podInputs, podInputs.map((inputs) => inputs.slice(0, 10))).map(([p, q]) =>
  interleaved(p, q)
);
const runs = { numRuns: 250 };

/** One pod's inputs among the other's. */
function interleaved(
  p: readonly PodInput[],
  q: readonly PodInput[],
): readonly (readonly [string, PodInput])[] {
  return p.flatMap((input, index) => {
    const other = q[index];
    return other ? [["p", input] as const, ["q", other] as const] : [["p", input] as const];
  });
}

/** The log of a worker that answered each input before the next one came. */
function recorded(
  inputs: readonly (readonly [string, PodInput])[],
): { log: MemoryLog; worker: MemoryWorker } {
  const log = new MemoryLog();
  const worker = new MemoryWorker(log);
  for (const [pod, { rest, content }] of inputs) {
    log.publish(subjects.input(pod, rest), content);
    worker.settle();
  }
  return { log, worker };
}

/** All that a pod is; without where its answers lie, which differs where they were recorded at another time. */
function stateOf({ store, inputSeq, changedMs, calls, events }: Pod) {
  const placeless = <M extends object>(mark: M) => ({ ...mark, outputSeq: null });
  return {
    store,
    inputSeq,
    changedMs,
    calls: calls.all().map(placeless),
    events: events.all().map(placeless),
  };
}

function statesOf({ pods }: Fold): Map<string, ReturnType<typeof stateOf>> {
  return new Map([...pods].toSorted().map(([id, { pod }]) => [id, stateOf(pod)]));
}

function podOf(fold: Fold): Pod {
  const podLog = fold.pods.get("p");
  if (!podLog) throw new Error("The log has nothing of pod p");
  return podLog.pod;
}

/** The outputs' bodies by the seq of the input. */
function answersOf(log: MemoryLog): Map<string, Body> {
  const outputs = log.messages.filter(({ header }) => header(headerNames.input) !== null);
  const answers = outputs.map((
    message,
  ): [string, Body] => [`${message.header(headerNames.input)}`, bodyOf(message)]);
  return new Map(answers.toSorted(([a], [b]) => Number(a) - Number(b)));
}

/** The same log without the messages that `isLost`; the seqs stay. */
function without(log: MemoryLog, isLost: (seq: number) => boolean): MemoryLog {
  const copy = new MemoryLog();
  for (const { seq, subject, data, header } of log.messages) {
    const headers = Object.values(headerNames).flatMap((name) => {
      const value = header(name);
      return value === null ? [] : [[name, value]];
    });
    copy.publish(subject, data, Object.fromEntries(headers));
    if (isLost(seq)) copy.delete(seq);
  }
  return copy;
}

function isOutput(log: MemoryLog, seq: number): boolean {
  return log.at(seq)?.header(headerNames.input) !== null;
}

Deno.test("deciding live and folding the log give the same pods, to the last mark", () => {
  fc.assert(
    fc.property(inputs, (inputs) => {
      const { log, worker } = recorded(inputs);
      const fold = new Fold(subjects);
      for (const message of log.messages) fold.take(message);
      assertEquals(statesOf(fold), statesOf(worker.fold));
      for (const [id, { pod }] of fold.pods) {
        const live = worker.fold.pods.get(id)?.pod;
        assertEquals(pod.calls.all(), live?.calls.all());
        assertEquals(pod.events.all(), live?.events.all());
      }
    }),
    runs,
  );
});

Deno.test("deciding every input of a log again gives the same pods and the same answers (R14)", () => {
  fc.assert(
    fc.property(inputs, (inputs) => {
      const { log, worker } = recorded(inputs);
      const bare = without(log, (seq) => isOutput(log, seq));
      const again = new MemoryWorker(bare);
      again.settle();
      assertEquals(statesOf(again.fold), statesOf(worker.fold));
      assertEquals(answersOf(bare), answersOf(log));
    }),
    runs,
  );
});

Deno.test("whatever outputs a log lost are decided again at their place, to the same answers (R13)", () => {
  fc.assert(
    fc.property(inputs, fc.array(fc.boolean(), { minLength: 144, maxLength: 144 }), (inputs, lost) => {
      const { log, worker } = recorded(inputs);
      const holed = without(log, (seq) => isOutput(log, seq) && lost[seq - 1] === true);
      const next = new MemoryWorker(holed);
      next.settle();
      assertEquals(statesOf(next.fold), statesOf(worker.fold));
      assertEquals(answersOf(holed), answersOf(log));
    }),
    runs,
  );
});

Deno.test("a worker that takes over at any message of the log goes on as the first would have", () => {
  fc.assert(
    fc.property(inputs, fc.nat(144), (inputs, cut) => {
      const { log, worker } = recorded(inputs);
      const rest = without(log, (seq) => isOutput(log, seq) && seq > cut);
      const next = new MemoryWorker(rest);
      next.settle();
      assertEquals(statesOf(next.fold), statesOf(worker.fold));
      assertEquals(answersOf(rest), answersOf(log));
    }),
    runs,
  );
});

Deno.test("a pod saved at any message of the log and folded on from there is the same pod (R16)", () => {
  fc.assert(
    fc.property(inputs, fc.nat(144), (inputs, cut) => {
      const { log, worker } = recorded(inputs);
      const early = new Fold(subjects);
      for (const message of log.messages) if (message.seq <= cut) early.take(message);
      const fold = new Fold(subjects);
      for (const [id, { pod }] of early.pods) {
        const loaded = decodePod(id, encodePod(pod, pod, "epoch"), "epoch");
        if (loaded === null) throw new Error("Cannot read the saved pod");
        fold.pods.set(id, new PodLog(loaded));
      }
      for (const message of log.messages) fold.take(message);
      assertEquals(statesOf(fold), statesOf(worker.fold));
    }),
    runs,
  );
});

Deno.test("a pod saved as it was some inputs ago, though it has run ahead, folds on to the same pod (R16)", () => {
  fc.assert(
    fc.property(podInputs, fc.nat(61), (inputs, back) => {
      const log = new MemoryLog();
      const worker = new MemoryWorker(log);
      const states = inputs.map(({ rest, content }) => {
        log.publish(subjects.input("p", rest), content);
        worker.settle();
        return stateOf(podOf(worker.fold));
      });
      const state = states.at(-1 - Math.min(back, states.length - 1));
      const loaded = state && decodePod("p", encodePod(podOf(worker.fold), state, "epoch"), "epoch");
      if (!loaded) throw new Error("Cannot read the saved pod");
      assertEquals(stateOf(loaded), state);
      const fold = new Fold(subjects);
      fold.pods.set("p", new PodLog(loaded));
      for (const message of log.messages) fold.take(message);
      assertEquals(statesOf(fold), statesOf(worker.fold));
    }),
    runs,
  );
});

Deno.test("a second answer to any input counts for nothing (R2)", () => {
  fc.assert(
    fc.property(inputs, fc.nat(144), (inputs, seq) => {
      const { log, worker } = recorded(inputs);
      const input = log.at(seq);
      if (!input || isOutput(log, seq)) return;
      const pod = subjects.parse(input.subject)?.pod ?? "";
      const body = {
        v: 1,
        call_id: "c",
        changes: [{ taskid: 1, status: "deleted", subject: "x", description: "" }],
      };
      log.publish(subjects.output(pod, "result"), body, { [headerNames.input]: `${seq}` });
      const fold = new Fold(subjects);
      for (const message of log.messages) fold.take(message);
      assertEquals(statesOf(fold), statesOf(worker.fold));
    }),
    runs,
  );
});
