/** Which saved pods and which covering records fit a log (R16, R18). */
import { assertEquals } from "@std/assert";
import { headerNames } from "../../../src/log/log_message.ts";
import { findCovering, isInLog, readSavedPods } from "../../../src/worker/read_checkpoint.ts";
import { MemoryBucket } from "../../helpers/memory_bucket.ts";
import { MemoryLog, MemoryWorker, streamCreated, subjects } from "../../helpers/memory_log.ts";
import { stateOf } from "../../helpers/memory_world.ts";

const portOf = (log: MemoryLog) => ({
  state: () => Promise.resolve(stateOf(log)),
  get: (seq: number) => Promise.resolve(log.at(seq) ?? null),
});

/** A log that begins with two inputs of a pod and their outputs, at 3 and 4. */
function twoAnswered(): MemoryLog {
  const log = new MemoryLog();
  for (const subject of ["a", "b"]) {
    log.publish(subjects.input("p", "call.TaskCreate"), { call_id: subject, arguments: { subject } });
  }
  new MemoryWorker(log).settle();
  return log;
}

/** The log without its last messages, and something else there. */
function rewound(count: number, ...instead: { readonly inputSeq: number }[]): MemoryLog {
  const log = new MemoryLog();
  for (const { subject, data, header } of twoAnswered().messages.slice(0, count)) {
    log.publish(subject, data, { [headerNames.input]: header(headerNames.input) ?? "" });
  }
  for (const { inputSeq } of instead) {
    log.publish(subjects.output("p", "result"), {}, { [headerNames.input]: `${inputSeq}` });
  }
  return log;
}

function withoutItsLastOutput(): MemoryLog {
  const log = twoAnswered();
  log.publish(subjects.input("other", "call.TaskList"), {});
  log.delete(4);
  return log;
}

const logs: readonly { readonly of: string; readonly log: MemoryLog; readonly isThere: boolean }[] = [
  { of: "all", log: twoAnswered(), isThere: true },
  { of: "all but the last output", log: rewound(3), isThere: false },
  { of: "another output in the place of the last", log: rewound(3, { inputSeq: 1 }), isThere: false },
  {
    of: "the last output in another place",
    log: rewound(2, { inputSeq: 2 }, { inputSeq: 1 }),
    isThere: false,
  },
  { of: "the first input only", log: rewound(1), isThere: false },
  { of: "all, of which the last output was deleted since", log: withoutItsLastOutput(), isThere: true },
];

for (const { of, log, isThere } of logs) {
  Deno.test(`what a saved pod includes is${isThere ? "" : " not"} in a log that has ${of}`, async () => {
    const worker = new MemoryWorker(twoAnswered());
    worker.read();
    const pod = worker.fold.pods.get("p")?.pod;
    assertEquals(pod && await isInLog(pod, 1, portOf(log)), isThere);
  });
}

Deno.test("a covering record that ends at an output fits a log that reaches as far, and no shorter one", async () => {
  const bucket = new MemoryBucket();
  bucket.save(twoAnswered(), 2, { endSeq: 4 });
  const found = async (log: MemoryLog) => {
    const { record, problem } = await findCovering(bucket, portOf(log), streamCreated);
    return [record?.position, problem];
  };

  assertEquals(await found(twoAnswered()), [2, null]);
  assertEquals(await found(withoutItsLastOutput()), [2, null]);
  assertEquals(await found(rewound(3)), [undefined, "it reaches seq 4, the stream only 3"]);
});

Deno.test("readSavedPods() gives no pod that includes what the log does not have", async () => {
  const bucket = new MemoryBucket();
  bucket.save(twoAnswered(), 1);
  const read = async (log: MemoryLog) => {
    const { record } = await findCovering(bucket, portOf(log), streamCreated);
    if (record === null) throw new Error("Expected a checkpoint that fits");
    const { pods, broken } = await readSavedPods(bucket, portOf(log), ["p"], record);
    return [pods.map(({ inputSeq }) => inputSeq), broken];
  };

  assertEquals(await read(twoAnswered()), [[2], []]);
  assertEquals(await read(rewound(3)), [[], ["p"]]);
});
