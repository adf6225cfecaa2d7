import { assertEquals } from "@std/assert";
import { Lease } from "../../../src/worker/lease.ts";
import type { Bucket, Saved } from "../../../src/worker/ports.ts";
import { Gate } from "../../helpers/gate.ts";
import { LogLines } from "../../helpers/log_lines.ts";
import { within } from "../../helpers/within.ts";

/** A bucket of one key, whose writes are done at once, and answered when the gate is open. */
class LeaseBucket implements Bucket {
  readonly answering = new Gate();
  #saved: Saved = { value: null, revision: 0 };

  get(): Promise<Saved> {
    return Promise.resolve(this.#saved);
  }

  keys(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  async put(_key: string, value: Uint8Array): Promise<number> {
    const revision = this.#saved.revision + 1;
    this.#saved = { value, revision };
    await this.answering.pass();
    return revision;
  }
}

function leaseOf(bucket: Bucket) {
  const won = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  const lease = new Lease({
    bucket,
    logger: new LogLines(),
    holder: "a",
    mayTake: () => true,
    onChange: won.resolve,
    onResumed: resumed.resolve,
    fatal: won.reject,
  });
  return { lease, won: won.promise, resumed: resumed.promise };
}

Deno.test("a renewal that is answered after the lease was lost does not take it back", async () => {
  const bucket = new LeaseBucket();
  const { lease, won } = leaseOf(bucket);
  lease.start();
  await within(won, "the lease is won");
  bucket.answering.close();
  await bucket.answering.whenHeld();
  lease.lose("the checkpoint was refused");
  bucket.answering.open();
  await new Promise((resolve) => setTimeout(resolve));

  assertEquals(lease.isOurs, false);
  await lease.release();
});

Deno.test("a lease that lapses while its renewal is on the way is said to be valid again when that is answered", async () => {
  const bucket = new LeaseBucket();
  const { lease, won, resumed } = leaseOf(bucket);
  lease.start();
  await within(won, "the lease is won");
  bucket.answering.close();
  await bucket.answering.whenHeld();
  while (lease.isValid) await new Promise((resolve) => setTimeout(resolve, 20));
  bucket.answering.open();

  await within(resumed, "the lease is resumed", 10_000);
  await lease.release();
});
