/** A pod's side of calls at low cost: one subscription for all answers, matched by what the call carries. */
import { headers, type NatsConnection } from "nats";

export class PodsClient {
  readonly #nc: NatsConnection;
  readonly #inbox: string;
  /** Keyed by call id. */
  readonly #waiting = new Map<string, () => void>();
  #next = 0;

  constructor(nc: NatsConnection) {
    this.#nc = nc;
    this.#inbox = `_INBOX.bench${crypto.randomUUID().replaceAll("-", "")}`;
    nc.subscribe("tasks.*.out.result", {
      callback: (_error, message) => {
        const id = /"call_id":"([^"]*)"/.exec(new TextDecoder().decode(message.data.subarray(0, 80)))?.[1] ??
          "";
        this.#settle(id);
      },
    });
    nc.subscribe(`${this.#inbox}.*`, {
      callback: (_error, message) => this.#settle(message.subject.slice(this.#inbox.length + 1)),
    });
  }

  #settle(id: string): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.();
  }

  /** Resolves when the result is seen on `out.result`. */
  call(pod: string, tool: string, args: unknown): Promise<void> {
    const id = `s${this.#next++}`;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#nc.publish(`tasks.${pod}.in.call.${tool}`, JSON.stringify({ call_id: id, arguments: args }));
    });
  }

  /** Resolves when the recorded result comes to `Tasuki-Reply`. */
  callForReply(pod: string, tool: string, args: unknown): Promise<void> {
    const id = `r${this.#next++}`;
    const callHeaders = headers();
    callHeaders.set("Tasuki-Reply", `${this.#inbox}.${id}`);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      const body = JSON.stringify({ call_id: id, arguments: args });
      this.#nc.publish(`tasks.${pod}.in.call.${tool}`, body, { headers: callHeaders });
    });
  }
}
