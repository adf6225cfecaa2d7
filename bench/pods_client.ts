/** A pod's side of calls at low cost: one subscription for all answers, matched by what the call carries. */
import { headers, type Msg, type NatsConnection } from "nats";

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
  #next = 0;

  constructor(nc: NatsConnection) {
    this.#nc = nc;
    this.#inbox = `_INBOX.bench${crypto.randomUUID().replaceAll("-", "")}`;
    nc.subscribe("tasks.*.out.result", { callback: (_error, message) => this.#answered(message, "s") });
    nc.subscribe(`${this.#inbox}.*`, { callback: (_error, message) => this.#answered(message, "r") });
  }

  /** @param lane what the ids begin with that are answered there */
  #answered({ data }: Msg, lane: "s" | "r"): void {
    const head = this.#decoder.decode(data.subarray(0, idBytesMax));
    const id = /"call_id":"([^"]*)"/.exec(head)?.[1] ?? "";
    const waiting = id.startsWith(lane) ? this.#waiting.get(id) : undefined;
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
    const callHeaders = headers();
    callHeaders.set("Tasuki-Reply", `${this.#inbox}.${id}`);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const body = JSON.stringify({ call_id: id, arguments: args });
      this.#nc.publish(`tasks.${pod}.in.call.${tool}`, body, { headers: callHeaders });
    });
  }
}
