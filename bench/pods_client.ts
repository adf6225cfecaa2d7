/**
 * A pod's side of calls at low cost: one subscription for all answers, matched by what the call carries. It listens in
 * one place at a time, as a pod does: where results are recorded, or at its own inbox.
 */
import { headers, type Msg, type NatsConnection, type Subscription } from "nats";

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** What a result ends with that is no refusal. */
const goodEnd = '"isError":false}}';
const idBytesMax = 80;

export class PodsClient {
  readonly #nc: NatsConnection;
  readonly #inbox: string;
  /** Keyed by call id. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #decoder = new TextDecoder();
  #listening: { readonly to: string; readonly subscription: Subscription } | null = null;
  #next = 0;

  constructor(nc: NatsConnection) {
    this.#nc = nc;
    this.#inbox = `_INBOX.bench${crypto.randomUUID().replaceAll("-", "")}`;
  }

  #listen(to: string): void {
    if (this.#listening?.to === to) return;
    if (this.#waiting.size > 0) throw new Error("Cannot listen elsewhere: calls wait for their answers");
    this.#listening?.subscription.unsubscribe();
    const callback = (_error: unknown, message: Msg): void => this.#answered(message);
    this.#listening = { to, subscription: this.#nc.subscribe(to, { callback }) };
  }

  #answered({ data }: Msg): void {
    const head = this.#decoder.decode(data.subarray(0, idBytesMax));
    const id = /"call_id":"([^"]*)"/.exec(head)?.[1] ?? "";
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    if (this.#decoder.decode(data.subarray(-goodEnd.length)) === goodEnd) waiting.resolve();
    else waiting.reject(new Error(`A call of the bench was refused: ${this.#decoder.decode(data)}`));
  }

  /**
   * Resolves when the result is seen on `out.result`.
   *
   * @throws {Error} when the call is refused
   */
  call(pod: string, tool: string, args: unknown): Promise<void> {
    const id = `s${this.#next++}`;
    this.#listen("tasks.*.out.result");
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#nc.publish(`tasks.${pod}.in.call.${tool}`, JSON.stringify({ call_id: id, arguments: args }));
    });
  }

  /**
   * Resolves when the recorded result comes to `Tasuki-Reply`.
   *
   * @throws {Error} when the call is refused
   */
  callForReply(pod: string, tool: string, args: unknown): Promise<void> {
    const id = `r${this.#next++}`;
    this.#listen(`${this.#inbox}.*`);
    const callHeaders = headers();
    callHeaders.set("Tasuki-Reply", `${this.#inbox}.${id}`);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const body = JSON.stringify({ call_id: id, arguments: args });
      this.#nc.publish(`tasks.${pod}.in.call.${tool}`, body, { headers: callHeaders });
    });
  }
}
