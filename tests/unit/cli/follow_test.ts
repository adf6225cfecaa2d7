import { assertEquals } from "@std/assert";
import { follow, type Follower } from "../../../src/cli/follow.ts";
import type { Remote } from "../../../src/cli/ports.ts";
import { TransientError } from "../../../src/errors.ts";
import type { LogReader } from "../../../src/worker/ports.ts";
import { MemoryBucket } from "../../helpers/memory_bucket.ts";
import { MemoryLog, streamCreated, subjects } from "../../helpers/memory_log.ts";
import { MemoryWorld } from "../../helpers/memory_world.ts";
import { within } from "../../helpers/within.ts";

/** A log that can be interrupted, and be another one afterwards. */
class Following {
  readonly events: string[] = [];
  readonly bucket = new MemoryBucket();
  readonly #world: MemoryWorld;
  #created = streamCreated;
  #reader: LogReader | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(readonly log = new MemoryLog()) {
    this.#world = new MemoryWorld({ log, bucket: this.bucket });
  }

  async start(part: string | null): Promise<void> {
    const remote = await this.#world.openRemote();
    const log: Remote["log"] = {
      ...remote.log,
      state: async () => ({ ...await remote.log.state(), created: this.#created }),
      read: async (options) => this.#reader = await remote.log.read(options),
    };
    const follower: Follower = {
      take: ({ seq }) => void this.events.push(`take ${seq}`),
      caughtUp: () => Promise.resolve(void this.events.push("caught up")),
      tick: () => Promise.resolve(),
      interrupted: ({ message }) => Promise.resolve(void this.events.push(`interrupted: ${message}`)),
      begin: (pods, reason) => {
        if (pods.length > 0) this.events.push(`begin with ${pods.map(({ id }) => id)}`);
        if (reason !== null) this.events.push(reason);
      },
    };
    this.#running = follow(this.#world, { log, bucket: this.bucket }, part, follower);
  }

  publish(pod: string): void {
    this.log.publish(subjects.input(pod, "call.TaskList"), "{}");
  }

  interrupt(): void {
    this.#reader?.fail(new TransientError("away"));
  }

  replaceStream(): void {
    this.#created = "second";
    this.interrupt();
  }

  /** Once this has happened so many times. */
  async happened(event: string, times = 1): Promise<void> {
    const poll = async (): Promise<void> => {
      while (this.events.filter((one) => one === event).length < times) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    await within(poll(), () => `${event} in ${JSON.stringify(this.events)}`);
  }

  async stop(): Promise<void> {
    this.#world.stopping.abort();
    await within(this.#running, "end");
  }
}

Deno.test("follow() takes what is there, then what comes, and each message once over an interruption", async () => {
  const following = new Following();
  following.publish("p");
  following.publish("q");
  await following.start(null);
  await following.happened("caught up");
  following.publish("p");
  await following.happened("take 3");
  following.interrupt();
  await following.happened("interrupted: away");
  following.publish("p");
  await following.happened("caught up", 2);
  following.publish("p");
  await following.happened("take 5");
  await following.stop();
  assertEquals(following.events, [
    "take 1",
    "take 2",
    "caught up",
    "take 3",
    "interrupted: away",
    "take 4",
    "caught up",
    "take 5",
  ]);
});

Deno.test("follow() of one pod takes its messages only", async () => {
  const following = new Following();
  following.publish("p");
  following.publish("q");
  await following.start("q");
  await following.happened("caught up");
  following.publish("p");
  following.publish("q");
  await following.happened("take 4");
  await following.stop();
  assertEquals(following.events, ["take 2", "caught up", "take 4"]);
});

Deno.test("follow() starts over where the stream is another one", async () => {
  const following = new Following();
  following.publish("p");
  await following.start(null);
  await following.happened("caught up");
  following.replaceStream();
  await following.happened("caught up", 2);
  await following.stop();
  assertEquals(following.events, [
    "take 1",
    "caught up",
    "interrupted: away",
    "The stream is another one",
    "take 1",
    "caught up",
  ]);
});

Deno.test("follow() begins with the saved pods where the log was shortened, also while it was interrupted", async () => {
  const following = new Following();
  following.publish("p");
  following.publish("q");
  following.bucket.save(following.log, 1);
  following.log.shorten(1);
  await following.start(null);
  await following.happened("caught up");
  following.publish("r");
  await following.happened("take 3");
  following.interrupt();
  following.publish("p");
  following.publish("p");
  following.bucket.save(following.log, 4);
  following.log.shorten(4);
  await following.happened("caught up", 2);
  await following.stop();
  assertEquals(following.events, [
    "begin with p,q",
    "take 2",
    "caught up",
    "take 3",
    "interrupted: away",
    "begin with p,q,r",
    "The log was shortened",
    "take 5",
    "caught up",
  ]);
});
