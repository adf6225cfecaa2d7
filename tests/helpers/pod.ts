/** An agent runtime that knows the wire format of SPEC.md and nothing else of Tasuki. */
import {
  connect,
  ErrorCode,
  headers,
  type JetStreamClient,
  type Msg,
  type NatsConnection,
  NatsError,
} from "nats";
import { readLog, type Recorded, type Server, untilAnswered } from "./session_log.ts";
import { whenIdlePodsHaveLeft } from "./tier.ts";
import { within } from "./within.ts";

/** A JSON object as it came: tests compare it whole. */
// deno-lint-ignore no-explicit-any
export type Json = any;

export interface Output {
  /** `result`, `snapshot`, … */
  readonly kind: string;
  readonly subject: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Json;
}

export interface CallOptions {
  readonly callId?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PodOptions {
  /** By default a new one. */
  readonly id?: string;
  readonly prefix?: string;
  readonly login?: Parameters<typeof connect>[0];
}

const acknowledgementWaitMs = 1_000;
const retryPauseMs = 50;
const readWaitMs = 3_000;
/** What a request ends with to which nobody answers, now or at all. */
const unanswered: readonly string[] = [ErrorCode.NoResponders, ErrorCode.Timeout];
/** JetStream: "duplicate message id is in process" (nats-server 2.12 and later). */
const duplicateInProcessNumber = 10158;

export class Pod implements AsyncDisposable {
  readonly id: string;
  readonly nc: NatsConnection;
  /** Every message that came on `out.>`, in the order in which they came. */
  readonly heard: Output[] = [];
  readonly #js: JetStreamClient;
  readonly #prefix: string;
  readonly #server: Server;
  #waiting: (() => void)[] = [];
  #calls = 0;

  private constructor(server: Server, nc: NatsConnection, { id, prefix }: PodOptions) {
    this.id = id ?? `pod-${crypto.randomUUID().slice(0, 13)}`;
    this.nc = nc;
    this.#prefix = prefix ?? "tasks";
    this.#server = server;
    this.#js = nc.jetstream({ timeout: acknowledgementWaitMs });
    nc.subscribe(`${this.#prefix}.${this.id}.out.>`, { callback: (_error, message) => this.#hear(message) });
  }

  /** Subscribed when it resolves. */
  static async join(server: Server, options: PodOptions = {}): Promise<Pod> {
    const nc = await connect({
      servers: server.url,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 50,
      ...options.login,
    });
    const pod = new Pod(server, nc, options);
    await nc.flush();
    return pod;
  }

  #hear(message: Msg): void {
    const names = message.headers?.keys() ?? [];
    this.heard.push({
      kind: message.subject.split(".").at(-1) ?? "",
      subject: message.subject,
      headers: Object.fromEntries(names.map((name) => [name, message.headers?.get(name) ?? ""])),
      body: jsonOf(message),
    });
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Publishes an input until it is acknowledged, once; gives its seq. */
  async send(
    rest: string,
    data: string | Uint8Array,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    return await this.publish(`${this.#prefix}.${this.id}.in.${rest}`, data, extra);
  }

  async publish(
    subject: string,
    data: string | Uint8Array,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    const messageHeaders = headers();
    messageHeaders.set("Nats-Msg-Id", `${this.id}:${crypto.randomUUID()}`);
    for (const [name, value] of Object.entries(extra)) messageHeaders.set(name, value);
    const publishing = async (): Promise<number> => {
      for (;;) {
        try {
          const { seq } = await this.#js.publish(subject, data, { headers: messageHeaders });
          // A cluster knows the id, but has not stored the message yet (nats-server 2.10 and 2.11).
          if (seq > 0) return seq;
        } catch (error) {
          if (!(error instanceof NatsError) || !mayPass(error) || this.nc.isClosed()) throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      }
    };
    return await within(publishing(), `acknowledgement of an input on ${subject}`);
  }

  /** The first output that was heard for the input. */
  async answer(inputSeq: number): Promise<Output> {
    const find = async (): Promise<Output> => {
      for (;;) {
        const output = this.heard.find(({ headers }) => headers["Tasuki-Input"] === String(inputSeq));
        if (output) return output;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    };
    const output = await within(find(), `output for input ${inputSeq} of ${this.id}`);
    await whenIdlePodsHaveLeft();
    return output;
  }

  async input(
    rest: string,
    data: string | Uint8Array | Json,
    extra?: Readonly<Record<string, string>>,
  ): Promise<Output> {
    const bytes = typeof data === "string" || data instanceof Uint8Array ? data : JSON.stringify(data);
    return await this.answer(await this.send(rest, bytes, extra));
  }

  /** Publishes a call; gives its seq. */
  async sendCall(tool: string, args: Json = {}, options: CallOptions = {}): Promise<number> {
    const { callId, headers: extra, ...more } = options;
    const envelope = { call_id: callId ?? `call-${++this.#calls}`, arguments: args, ...more };
    return await this.send(`call.${tool}`, JSON.stringify(envelope), extra);
  }

  async call(tool: string, args: Json = {}, options: CallOptions = {}): Promise<Output> {
    return await this.answer(await this.sendCall(tool, args, options));
  }

  /** Both halves of a compaction. */
  async compact(
    compactId: string,
    session = "s1",
    newSession = "s2",
  ): Promise<{ snapshot: Output; injection: Output }> {
    return {
      snapshot: await this.input("compact.started", { compact_id: compactId, session }),
      injection: await this.input("compact.finished", {
        compact_id: compactId,
        session,
        new_session: newSession,
      }),
    };
  }

  async restore(restoreId: string, entries: readonly Json[], mode?: string): Promise<Output> {
    return await this.input("session.restore", { restore_id: restoreId, entries, mode });
  }

  /** A request on the reading lane, made again while nobody serves it: of a worker whose lease lapses none comes. */
  async read(tool: string, body: string | Json = {}): Promise<Json> {
    const data = typeof body === "string" ? body : JSON.stringify(body);
    const subject = `${this.#prefix}.${this.id}.read.${tool}`;
    const requesting = async (): Promise<Json> => {
      for (;;) {
        try {
          return (await this.nc.request(subject, data, { timeout: readWaitMs })).json();
        } catch (error) {
          if (!(error instanceof NatsError) || !unanswered.includes(error.code)) throw error;
          await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
        }
      }
    };
    return await within(requesting(), `answer to a read on ${subject}`);
  }

  /** The first message on a subject, once `send` was called. */
  async replyOn(subject: string, send: () => Promise<unknown>): Promise<Json> {
    const subscription = this.nc.subscribe(subject, { max: 1 });
    const first = (async () => {
      for await (const message of subscription) return message.json();
      throw new Error(`the connection closed before a message came on ${subject}`);
    })();
    await send();
    return await within(first, `message on ${subject}`);
  }

  /** The tasks as TaskList gives them. */
  async tasks(): Promise<Json[]> {
    return (await this.call("TaskList")).body.result.structuredContent.tasks;
  }

  /** The one output that the log holds for an input, once it is there: what was heard may have been dropped. */
  async recorded(inputSeq: number): Promise<Recorded> {
    await untilAnswered(this.#server, [inputSeq]);
    const [output] = await this.outputsOf(inputSeq);
    if (!output) throw new Error(`the log has lost the output for input ${inputSeq}`);
    return output;
  }

  /** What the log holds for an input. */
  async outputsOf(inputSeq: number): Promise<readonly Recorded[]> {
    const log = await readLog(this.#server);
    return log.filter(({ direction, headers }) =>
      direction === "out" && headers["Tasuki-Input"] === String(inputSeq)
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.nc.close();
  }
}

/** Of errors that JetStream itself tells only one passes: in a cluster, the first sending is still on its way. */
function mayPass(error: NatsError): boolean {
  return !error.isJetStreamError() || error.jsError()?.err_code === duplicateInProcessNumber;
}

/** Null for what is no JSON: an exception here would leave the connection deaf. */
function jsonOf(message: Msg): Json {
  try {
    return message.json();
  } catch {
    return null;
  }
}
