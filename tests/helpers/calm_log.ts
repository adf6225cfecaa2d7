/** The log as it is recorded, read fast: for when the server stays as it is. */
import type { JsMsg } from "nats";
import { type Recorded, type Server, withConnection } from "./session_log.ts";
import { patiently } from "./within.ts";

const readAheadMax = 2_000;

/** All messages that the stream has now, in their order. */
export function readCalmLog(server: Server, stream = "TASKS"): Promise<readonly Recorded[]> {
  return readUntil(server, stream, () => true);
}

/** The log, as soon as every input of it has an output. @throws {Error} when that takes too long */
export async function readAnsweredLog(
  server: Server,
  patienceMs = 60_000,
  stream = "TASKS",
): Promise<readonly Recorded[]> {
  const open = new Set<number>();
  const answered = new Set<number>();
  const take = ({ direction, seq, headers }: Recorded): void => {
    const inputSeq = Number(headers["Tasuki-Input"]);
    if (direction === "in" && !answered.has(seq)) open.add(seq);
    if (direction === "out") open.delete(inputSeq);
    if (direction === "out") answered.add(inputSeq);
  };
  const log = await readUntil(server, stream, () => open.size === 0, take, patienceMs);
  if (open.size === 0) return log;
  const seqs = [...open].slice(0, 20);
  throw new Error(`not in ${patienceMs} ms: outputs for ${open.size} inputs: ${seqs}`);
}

/** To the end of the stream, and on until it is enough there; where that takes too long, what was read by then. */
function readUntil(
  server: Server,
  stream: string,
  isEnough: () => boolean,
  take: (message: Recorded) => void = () => {},
  patienceMs = 60_000,
): Promise<readonly Recorded[]> {
  return withConnection(server, async (nc) => {
    const log: Recorded[] = [];
    const { state } = await (await nc.jetstreamManager(patiently)).streams.info(stream);
    if (state.messages === 0) return log;
    const consumer = await nc.jetstream(patiently).consumers.get(stream);
    const messages = await consumer.consume({ max_messages: readAheadMax });
    const timer = setTimeout(() => messages.stop(), patienceMs);
    for await (const message of messages) {
      const recorded = recordedOf(message);
      log.push(recorded);
      take(recorded);
      if (message.info.pending === 0 && isEnough()) break;
    }
    clearTimeout(timer);
    await consumer.delete();
    return log;
  });
}

function recordedOf({ seq, info, subject, headers, data }: JsMsg): Recorded {
  const [, pod = "", direction = "", ...rest] = subject.split(".");
  const names = headers?.keys() ?? [];
  return {
    seq,
    timeMs: Math.floor(info.timestampNanos / 1e6),
    subject,
    pod,
    direction,
    rest: rest.join("."),
    headers: Object.fromEntries(names.map((name) => [name, headers?.get(name) ?? ""])),
    data,
  };
}
