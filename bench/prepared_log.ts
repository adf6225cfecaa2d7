/** A large log as a worker would have recorded it, published much faster than a worker could be called. */
import { headers, type NatsConnection } from "nats";
import { Pod } from "../src/log/pod.ts";
import { newTask, statusChange } from "./calls.ts";
import { answeredAndApplied, loggedCall } from "./kernel_pod.ts";

const podsCount = 64;
/** Beyond this the server may drop what it has no time for. */
const unacknowledgedMax = 4_000;

export class PreparedLog {
  readonly #pods = Array.from({ length: podsCount }, (_, index) => new Pod(`bench-${index}`));
  #seq = 0;
  #turn = 0;

  get messages(): number {
    return this.#seq;
  }

  /**
   * Publishes turns of one input and one output for each pod until the log has so many messages.
   *
   * @param created the stream's identity, which goes into the outputs' message ids
   * @throws {Error} when the stream has not taken them all, or somebody else has written
   */
  async extendTo(messages: number, nc: NatsConnection, created: string): Promise<void> {
    const inbox = `_INBOX.prepared${crypto.randomUUID().replaceAll("-", "")}`;
    let acknowledged = this.#seq;
    let wake = (): void => {};
    const subscription = nc.subscribe(inbox, {
      callback: () => {
        acknowledged++;
        wake();
      },
    });
    const untilAtMost = async (missing: number): Promise<void> => {
      while (this.#seq - acknowledged > missing) await new Promise<void>((resolve) => wake = resolve);
    };
    while (this.#seq < messages) {
      this.#publishTurn(nc, inbox, created);
      await untilAtMost(unacknowledgedMax);
    }
    await untilAtMost(0);
    subscription.unsubscribe();
    const { state } = await (await nc.jetstreamManager()).streams.info("TASKS");
    if (state.last_seq !== this.#seq) throw new Error(`The log ends at ${state.last_seq}, not ${this.#seq}`);
  }

  #publishTurn(nc: NatsConnection, inbox: string, created: string): void {
    const turn = this.#turn++;
    const tool = turn === 0 ? "TaskCreate" : "TaskUpdate";
    const args = turn === 0 ? newTask(1) : statusChange(1, turn);
    const calls = this.#pods.map((pod) => {
      const call = loggedCall(pod.id, ++this.#seq, tool, args);
      nc.publish(call.message.subject, call.message.data, { reply: inbox });
      return { pod, call };
    });
    for (const { pod, call } of calls) {
      const output = answeredAndApplied(pod, call);
      const outputHeaders = headers();
      outputHeaders.set("Nats-Msg-Id", `out-${created}-${call.message.seq}`);
      for (const [name, value] of output.headers) outputHeaders.set(name, value);
      nc.publish(output.subject, output.data, { reply: inbox, headers: outputHeaders });
      this.#seq++;
    }
  }
}
