/** The log as it is recorded, read by a client of its own, and what must hold of every one. */
import { connect, type JsMsg, type NatsConnection } from "nats";
import { within } from "./within.ts";

export interface Server {
  readonly url: string;
}

/** One message of the stream. */
export interface Recorded {
  readonly seq: number;
  readonly subject: string;
  readonly pod: string;
  /** `in`, `out`, or what else stands there. */
  readonly direction: string;
  /** What stands after the direction. */
  readonly rest: string;
  readonly headers: { readonly [name: string]: string };
  readonly data: Uint8Array;
}

export async function withConnection<T>(server: Server, use: (nc: NatsConnection) => Promise<T>): Promise<T> {
  const nc = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  try {
    return await use(nc);
  } finally {
    await nc.close();
  }
}

/** All messages that the stream has now, in their order. */
export function readLog(server: Server, stream = "TASKS"): Promise<readonly Recorded[]> {
  return withConnection(server, async (nc) => {
    const { state } = await (await nc.jetstreamManager()).streams.info(stream);
    const messages: Recorded[] = [];
    if (state.messages === 0) return messages;
    await follow(nc, stream, (message, pending) => {
      messages.push(message);
      return pending === 0;
    });
    return messages;
  });
}

/** Follows the log from its beginning until every input of these seqs has an output; also over a server's restarts. */
export function untilAnswered(server: Server, inputSeqs: Iterable<number>, stream = "TASKS"): Promise<void> {
  const missing = new Set(inputSeqs);
  const isDone = ({ direction, headers }: Recorded): boolean => {
    if (direction === "out") missing.delete(Number(headers["Tasuki-Input"]));
    return missing.size === 0;
  };
  if (missing.size === 0) return Promise.resolve();
  return withConnection(server, async (nc) => {
    await within(follow(nc, stream, isDone), () => `outputs for the inputs ${[...missing].slice(0, 20)}`);
  });
}

/** @param take is told how many messages are still to come; says whether it has seen enough */
async function follow(
  nc: NatsConnection,
  stream: string,
  take: (message: Recorded, pending: number) => boolean,
): Promise<void> {
  const consumer = await nc.jetstream().consumers.get(stream);
  const messages = await consumer.consume({ max_messages: 1_000 });
  for await (const message of messages) {
    if (take(recordedOf(message), message.info.pending)) break;
  }
  await consumer.delete().catch(() => false);
}

function recordedOf({ seq, subject, headers, data }: JsMsg): Recorded {
  const [, pod = "", direction = "", ...rest] = subject.split(".");
  const names = headers?.keys() ?? [];
  return {
    seq,
    subject,
    pod,
    direction,
    rest: rest.join("."),
    headers: Object.fromEntries(names.map((name) => [name, headers?.get(name) ?? ""])),
    data,
  };
}

const token = /^[A-Za-z0-9_-]{1,64}$/;

/** What is wrong with a log in which every input must have exactly one output, after it and on its pod (R2). */
export function outputProblems(log: readonly Recorded[]): readonly string[] {
  const inputs = new Map(
    log.filter(({ direction }) => direction === "in").map((input) => [input.seq, input]),
  );
  const counts = new Map([...inputs.keys()].map((seq) => [seq, 0]));
  const problems: string[] = [];
  for (const output of log.filter(({ direction }) => direction === "out")) {
    const inputSeq = Number(output.headers["Tasuki-Input"]);
    const input = inputs.get(inputSeq);
    const pod = input && token.test(input.pod) && input.pod !== "_" ? input.pod : "_";
    if (!input) {
      problems.push(`output ${output.seq} answers no input: it names ${output.headers["Tasuki-Input"]}`);
    } else if (output.seq < inputSeq) problems.push(`output ${output.seq} lies before its input ${inputSeq}`);
    else if (output.pod !== pod) {
      problems.push(`output ${output.seq} of pod ${output.pod} answers input ${inputSeq} of ${pod}`);
    } else counts.set(inputSeq, (counts.get(inputSeq) ?? 0) + 1);
  }
  for (const [seq, count] of counts) {
    if (count !== 1) problems.push(`input ${seq} (${inputs.get(seq)?.subject}) has ${count} outputs`);
  }
  return problems;
}

/** @param strays seqs of outputs that a test has added and that must not count. @throws {Error} with every problem */
export async function everyInputHasOneOutput(
  server: Server,
  { stream = "TASKS", strays = [] }: { readonly stream?: string; readonly strays?: readonly number[] } = {},
): Promise<void> {
  const log = await readLog(server, stream);
  const problems = outputProblems(log.filter(({ seq }) => !strays.includes(seq)));
  if (problems.length > 0) throw new Error(`inputs without exactly one output: ${problems.join("; ")}`);
}
