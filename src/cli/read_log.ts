/** Reads the log to the end that it has now, and says how far it is. */
import { TransientError } from "../errors.ts";
import { Fold } from "../log/fold.ts";
import type { LogMessage } from "../log/log_message.ts";
import { readToEnd } from "../worker/read_to_end.ts";
import { isOf, type Part, readOf } from "./part.ts";
import type { LogAndCheckpoint, World } from "./ports.ts";
import { Progress } from "./progress.ts";
import {
  isWholeAfter,
  type StartingPoint,
  startingPoint,
  warnOfHoles,
  warnOfLateStart,
} from "./starting_point.ts";

/** How often it is begun again while the worker shortens the log. */
const triesMax = 5;

/** Is given messages in their order; a promise where the reading is to wait. */
type Take = (message: LogMessage) => Promise<void> | void;

/**
 * Reads what the log itself has.
 *
 * @throws {TransientError} when the server does not answer
 * @throws the reason of the world's `stop`, once it is aborted
 */
export async function readLog(
  world: World,
  { log }: LogAndCheckpoint,
  part: Part,
  take: Take,
): Promise<void> {
  const state = await log.state();
  warnOfLateStart(state, world.err);
  warnOfHoles(state.deletedCount, world.err);
  await readAfter(world, { log }, part, 0, take);
}

/**
 * Takes a part of the log to its end. @returns the seq up to which everything was read. @throws as {@link readLog}
 */
export async function readAfter(
  { err, nowMs, subjects, stop }: World,
  { log }: Pick<LogAndCheckpoint, "log">,
  part: Part,
  afterSeq: number,
  take: Take,
): Promise<number> {
  const { lastSeq } = await log.state();
  using progress = new Progress({ err, unit: "messages of the log", total: lastSeq, nowMs });
  return await readToEnd(log, subjects, { afterSeq, only: readOf(part) }, (message) => {
    stop.throwIfAborted();
    progress.reached(message.seq);
    return isOf(part, message, subjects) ? take(message) : undefined;
  });
}

/** What is made of the messages of the log. */
interface Reader {
  take(message: LogMessage): unknown;
}

/**
 * Reads from the starting point on.
 *
 * @param begin makes what takes the messages; called again where the log was shortened meanwhile
 * @throws as {@link readLog}
 */
export async function readFromStart<T extends Reader>(
  world: World,
  remote: LogAndCheckpoint,
  part: Part,
  begin: (start: StartingPoint) => T,
): Promise<T> {
  for (let tries = 0; tries < triesMax; tries++) {
    const start = await startingPoint(world.err, remote, await remote.log.state(), part);
    const reader = begin(start);
    await readAfter(world, remote, part, start.afterSeq, (message) => void reader.take(message));
    if (await isWholeAfter(remote.log, start.afterSeq)) return reader;
  }
  throw new TransientError(`Cannot read the log: it was shortened while it was read, ${triesMax} times`);
}

/** The pods as log and checkpoint have them. @throws as {@link readLog} */
export function foldLog(world: World, remote: LogAndCheckpoint, part: Part): Promise<Fold> {
  return readFromStart(world, remote, part, ({ pods }) => new Fold(world.subjects, pods));
}
