/** What a worker relies on where the checkpoint is begun anew under it, or its stream replaced (R16, R18). */
import { assertEquals, assertRejects } from "@std/assert";
import { coveringKey, encodeCovering, savedVersion } from "../../../src/log/saved_pod.ts";
import { CheckpointLost, Checkpoints } from "../../../src/worker/checkpoints.ts";
import type { Bucket } from "../../../src/worker/ports.ts";
import { Gate } from "../../helpers/gate.ts";
import { LogLines } from "../../helpers/log_lines.ts";
import { MemoryBucket } from "../../helpers/memory_bucket.ts";
import { MemoryLog, MemoryWorker, streamCreated, subjects } from "../../helpers/memory_log.ts";
import { stateOf } from "../../helpers/memory_world.ts";
import { UnreachableLog } from "../../helpers/unreachable_log.ts";

/** A bucket whose writes are done at once, and answered when the gate is open. */
class SlowBucket extends MemoryBucket implements Bucket {
  readonly answering = new Gate();

  async put(key: string, value: Uint8Array): Promise<number> {
    this.values.set(key, value);
    await this.answering.pass();
    return 1;
  }

  /** As a leader does that found no checkpoint, and has saved no pod yet. */
  beginAnew(epoch: string): void {
    this.values.set(
      coveringKey,
      encodeCovering({ v: savedVersion, epoch, position: 0, created: streamCreated, end: null }),
    );
  }
}

/** A log with one input of pod `p` and its output, and a checkpoint up to a position. */
function setUp(position: number) {
  const memory = new MemoryLog();
  memory.publish(subjects.input("p", "call.TaskCreate"), { call_id: "a", arguments: { subject: "a" } });
  new MemoryWorker(memory).settle();
  class KnownLog extends UnreachableLog {
    override state() {
      return Promise.resolve(stateOf(memory));
    }

    override get(seq: number) {
      return Promise.resolve(memory.at(seq) ?? null);
    }
  }
  const bucket = new SlowBucket();
  bucket.save(memory, 2, { epoch: "first" });
  if (position === 0) bucket.beginAnew("first");
  const checkpoints = new Checkpoints({
    bucket,
    log: new KnownLog(),
    logger: new LogLines(),
    acceptLoss: false,
    mayWrite: () => true,
    logEnd: () => Promise.resolve(memory.at(2) ?? null),
  });
  return { memory, bucket, checkpoints };
}

Deno.test("Checkpoints misses what it relied on where another leader has begun anew in an empty bucket", async () => {
  const { bucket, checkpoints } = setUp(2);
  assertEquals(await checkpoints.open(streamCreated), 2);
  bucket.values.clear();
  bucket.beginAnew("second");

  await assertRejects(() => checkpoints.load("p"), CheckpointLost);
  await assertRejects(() => checkpoints.refresh(), CheckpointLost);
});

Deno.test("Checkpoints misses a pod that was saved where nothing is covered yet", async () => {
  const { bucket, checkpoints } = setUp(0);
  assertEquals(await checkpoints.open(streamCreated), 0);
  assertEquals((await checkpoints.load("p")).pod.store.tasks.length, 1);
  bucket.values.clear();

  await assertRejects(() => checkpoints.load("p"), CheckpointLost);
});

Deno.test("Checkpoints takes no position from a save of a stream that was replaced meanwhile", async () => {
  const { memory, bucket, checkpoints } = setUp(0);
  await checkpoints.open(streamCreated);
  bucket.answering.close();
  const saving = checkpoints.save([], 2);
  await bucket.answering.whenHeld();
  memory.messages.splice(0);
  const opening = checkpoints.open("later");
  bucket.answering.open();

  assertEquals(await opening, 0);
  await saving;
});
