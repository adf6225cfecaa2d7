/** The log as it is recorded, read fast: for when the server stays as it is. */
import type { JsMsg } from "nats";
import { pause } from "./crash_clients.ts";
import { type Recorded, type Server, withConnection } from "./session_log.ts";

const readAheadMax = 2_000;

/** All messages that the stream has now, in their order. */
export function readCalmLog(server: Server, stream = "TASKS"): Promise<readonly Recorded[]> {
  return withConnection(server, async (nc) => {
    const { state } = await (await nc.jetstreamManager()).streams.info(stream);
    const messages: Recorded[] = [];
    if (state.messages === 0) return messages;
    const consumer = await nc.jetstream().consumers.get(stream);
    for await (const message of await consumer.consume({ max_messages: readAheadMax })) {
      messages.push(recordedOf(message));
      if (message.info.pending === 0) break;
    }
    await consumer.delete();
    return messages;
  });
}

/** The log, as soon as every input of it has an output. @throws {Error} when that takes too long */
export async function readAnsweredLog(server: Server, patienceMs = 60_000): Promise<readonly Recorded[]> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const log = await readCalmLog(server);
    const answered = new Set(log.map(({ headers }) => headers["Tasuki-Input"]));
    const open = log.filter(({ direction, seq }) => direction === "in" && !answered.has(String(seq)));
    if (open.length === 0) return log;
    if (performance.now() > deadline) {
      const seqs = open.slice(0, 20).map(({ seq }) => seq);
      throw new Error(`not in ${patienceMs} ms: outputs for ${open.length} inputs: ${seqs}`);
    }
    await pause(200);
  }
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
