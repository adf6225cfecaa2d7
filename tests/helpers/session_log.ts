/** The log as it is recorded, read by a client of its own, and what must hold of every one. */
import { connect, ErrorCode, type NatsConnection, NatsError, type StoredMsg, type StreamAPI } from "nats";
import { within } from "./within.ts";

const requestMsMax = 1_000;
const pollMs = 20;
const awayMsMax = 60_000;
/** Messages that are asked for at the same time. */
const readsAtOnce = 64;
const problemsShownMax = 10;

export interface Server {
  readonly url: string;
}

/** One message of the stream. */
export interface Recorded {
  readonly seq: number;
  readonly timeMs: number;
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
    const messages: Recorded[] = [];
    await new LogFollower(nc, stream).read((message) => messages.push(message));
    return messages;
  });
}

/** Follows the log from its beginning until every input of these seqs has an output that counts (R2); also over a server's restarts. */
export function untilAnswered(server: Server, inputSeqs: Iterable<number>, stream = "TASKS"): Promise<void> {
  const missing = new Set(inputSeqs);
  if (missing.size === 0) return Promise.resolve();
  let isWanted = true;
  const waiting = withConnection(server, async (nc) => {
    const follower = new LogFollower(nc, stream);
    /** Where each input is answered. One that is not in the log any more may have been any pod's. */
    const pods = new Map<number, string>();
    while (missing.size > 0 && isWanted) {
      await follower.read((message) => {
        const { direction, seq, pod, headers } = message;
        if (direction === "in" && missing.has(seq)) pods.set(seq, answeringPod(message));
        const inputSeq = Number(headers["Tasuki-Input"]);
        const counts = direction === "out" && seq > inputSeq && (pods.get(inputSeq) ?? pod) === pod;
        if (counts) missing.delete(inputSeq);
      });
      if (missing.size > 0) await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  });
  return within(waiting, () => `outputs for the inputs ${[...missing].slice(0, 20)}`).finally(() =>
    isWanted = false
  );
}

/**
 * Reads a stream message by message from its leader. A consumer would be faster, but the client's own goes silent when
 * the server that holds it dies.
 */
class LogFollower {
  readonly #nc: NatsConnection;
  readonly #stream: string;
  #nextSeq = 1;

  constructor(nc: NatsConnection, stream: string) {
    this.#nc = nc;
    this.#stream = stream;
  }

  /** Hands over what was not read yet, to the end that the stream has now. */
  async read(take: (message: Recorded) => void): Promise<void> {
    const { streams } = await this.#nc.jetstreamManager({ timeout: requestMsMax, checkAPI: false });
    const { state } = await untilServed(() => streams.info(this.#stream));
    this.#nextSeq = Math.max(this.#nextSeq, state.first_seq);
    while (this.#nextSeq <= state.last_seq) {
      const count = Math.min(readsAtOnce, state.last_seq - this.#nextSeq + 1);
      const seqs = Array.from({ length: count }, (_, place) => this.#nextSeq + place);
      const found = await Promise.all(
        seqs.map((seq) => messageAt(streams, this.#stream, seq)),
      );
      this.#nextSeq += count;
      for (const message of found) if (message) take(recordedOf(message));
    }
  }
}

/** Null where there is none. */
async function messageAt(streams: StreamAPI, stream: string, seq: number): Promise<StoredMsg | null> {
  try {
    return await untilServed(() => streams.getMessage(stream, { seq }));
  } catch (error) {
    if (error instanceof NatsError && error.message.includes("no message found")) return null;
    throw error;
  }
}

/** Asks again while the server is away. @throws {NatsError} when it says no, or stays away */
async function untilServed<T>(request: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + awayMsMax;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isAbsence(error) || performance.now() >= deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }
}

/** No answer, or one that says that nobody leads now. */
function isAbsence(error: unknown): boolean {
  return error instanceof NatsError && (!error.isJetStreamError() || error.code === ErrorCode.NoResponders);
}

function recordedOf({ seq, time, subject, header, data }: StoredMsg): Recorded {
  const [, pod = "", direction = "", ...rest] = subject.split(".");
  const names = header?.keys() ?? [];
  return {
    seq,
    timeMs: time.getTime(),
    subject,
    pod,
    direction,
    rest: rest.join("."),
    headers: Object.fromEntries(names.map((name) => [name, header?.get(name) ?? ""])),
    data,
  };
}

const token = /^[A-Za-z0-9_-]{1,64}$/;

/** On which pod an input is answered: one whose own token is not legal on none (SPEC §2). */
function answeringPod({ pod }: Recorded): string {
  return token.test(pod) ? pod : "_";
}

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
    const pod = input && answeringPod(input);
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

function isMerelyMissing(problem: string): boolean {
  return problem.endsWith(" has 0 outputs");
}

/**
 * What was heard is in the log soon: where outputs are merely missing, it is read again.
 *
 * @param strays seqs of outputs that a test has added and that must not count
 * @param waitMs how long outputs may be missing
 * @throws {Error} with every problem
 */
export async function everyInputHasOneOutput(
  server: Server,
  { stream = "TASKS", strays = [], waitMs = 20_000 }: {
    readonly stream?: string;
    readonly strays?: readonly number[];
    readonly waitMs?: number;
  } = {},
): Promise<void> {
  const deadline = performance.now() + waitMs;
  let problems: readonly string[];
  do {
    const log = await readLog(server, stream);
    problems = outputProblems(log.filter(({ seq }) => !strays.includes(seq)));
  } while (problems.length > 0 && problems.every(isMerelyMissing) && performance.now() < deadline);
  if (problems.length === 0) return;
  const more = problems.length > problemsShownMax ? `; and ${problems.length - problemsShownMax} more` : "";
  throw new Error(
    `inputs without exactly one output: ${problems.slice(0, problemsShownMax).join("; ")}${more}`,
  );
}
