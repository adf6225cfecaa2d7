/** Reads a part of the log to the end that it has now. */
import type { LogMessage } from "../log/log_message.ts";
import type { Subjects } from "../log/subjects.ts";
import { chunkBytesMax } from "./limits.ts";
import type { Log, LogReader, ReadOptions } from "./ports.ts";
import { TimelyReading } from "./timely_reading.ts";

/** What reading takes. */
type ReadableLog = Pick<Log, "state" | "read" | "get">;

/**
 * Hands every message that was there at the start to `take`, and perhaps some later ones.
 *
 * @param take a promise where the reading is to wait
 * @param opened is given the reader, for whoever wants to interrupt it
 * @returns the seq up to which everything was read
 * @throws {TransientError} when the server does not answer: begin again after the last message taken
 */
export async function readToEnd(
  log: ReadableLog,
  subjects: Subjects,
  options: ReadOptions,
  take: (message: LogMessage) => Promise<void> | null | void,
  opened: (reader: LogReader) => void = () => {},
): Promise<number> {
  const { lastSeq } = await log.state();
  if (lastSeq <= options.afterSeq) return options.afterSeq;
  const reader = await log.read(options);
  opened(reader);
  const reading = new TimelyReading();
  let seq = options.afterSeq;
  try {
    while (seq < lastSeq) {
      // What was deleted at the end never comes, and only then is "nothing pending" to be believed.
      if (reader.pending === 0 && !(await isToCome(log, subjects, options, lastSeq))) break;
      for (const message of await reading.next(reader, true)) {
        const wait = take(message);
        if (wait) await wait;
        seq = message.seq;
      }
    }
  } finally {
    await reader.close();
  }
  return Math.max(seq, lastSeq);
}

/** At most about `messagesMax` messages and `chunkBytesMax` bytes, the first that match; none where there is none. */
export async function readChunk(
  log: ReadableLog,
  options: ReadOptions,
  messagesMax: number,
): Promise<readonly LogMessage[]> {
  const reader = await log.read({ ...options, messagesMax });
  const messages: LogMessage[] = [];
  let bytes = 0;
  try {
    while (messages.length < messagesMax && bytes < chunkBytesMax && reader.pending > 0) {
      const next = await reader.next();
      messages.push(...next);
      bytes += next.reduce((sum, { data }) => sum + data.length, 0);
    }
  } finally {
    await reader.close();
  }
  return messages;
}

/**
 * Whether a reader with these options gives the message at a seq.
 *
 * @throws {TransientError} when the server does not answer
 */
export async function isToCome(
  log: ReadableLog,
  subjects: Subjects,
  { only }: Pick<ReadOptions, "only">,
  seq: number,
): Promise<boolean> {
  const message = await log.get(seq);
  const parsed = message ? subjects.parse(message.subject) : null;
  if (parsed === null) return false;
  if (only === "everything") return true;
  if (only === "inputs") return parsed.direction === "in";
  return "pod" in only ? parsed.pod === only.pod : parsed.pod === only.inputsOf && parsed.direction === "in";
}
