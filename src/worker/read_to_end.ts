/** Reads a part of the log to the end that it has now. */
import { TransientError } from "../errors.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { Subjects } from "../log/subjects.ts";
import { chunkBytesMax } from "./limits.ts";
import type { Log, LogReader, ReadOptions } from "./ports.ts";

/** Where nothing comes for this long although there is more, the reader hangs on a server that does not have it. */
const stallMsMax = 6_000;

/** What reading takes. */
export type ReadableLog = Pick<Log, "state" | "read" | "get">;

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
  let seq = options.afterSeq;
  try {
    while (seq < lastSeq) {
      // What was deleted at the end never comes, and only then is "nothing pending" to be believed.
      if (reader.pending === 0 && !(await isThere(log, subjects, options, lastSeq))) break;
      for (const message of await nextInTime(reader)) {
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

async function nextInTime(reader: LogReader): Promise<readonly LogMessage[]> {
  const stalled = () => reader.fail(new TransientError(`nothing was read for ${stallMsMax} ms`));
  const timer = setTimeout(stalled, stallMsMax);
  try {
    return await reader.next();
  } finally {
    clearTimeout(timer);
  }
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

async function isThere(
  log: ReadableLog,
  subjects: Subjects,
  { only }: ReadOptions,
  seq: number,
): Promise<boolean> {
  const message = await log.get(seq);
  const parsed = message ? subjects.parse(message.subject) : null;
  if (parsed === null) return false;
  if (only === "everything") return true;
  if (only === "inputs") return parsed.direction === "in";
  return "pod" in only ? parsed.pod === only.pod : parsed.pod === only.inputsOf && parsed.direction === "in";
}
