/** Reads the log from its beginning to the end that it has now, and says how far it is. */
import { Fold } from "../log/fold.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { LogState } from "../worker/ports.ts";
import { readToEnd } from "../worker/read_to_end.ts";
import { isOf, type Part, readOf } from "./part.ts";
import type { Remote, SideOutput, World } from "./ports.ts";
import { Progress } from "./progress.ts";

/**
 * @param take is given the messages in their order; a promise where the reading is to wait
 * @throws {TransientError} when the server does not answer
 * @throws the reason of the world's `stop`, once it is aborted
 */
export async function readLog(
  { err, nowMs, subjects, stop }: World,
  { log }: Remote,
  part: Part,
  take: (message: LogMessage) => Promise<void> | void,
): Promise<void> {
  const state = await log.state();
  warnOfGaps(state, err);
  const { lastSeq } = state;
  using progress = new Progress({ err, unit: "messages of the log", total: lastSeq, nowMs });
  await readToEnd(log, subjects, { afterSeq: 0, only: readOf(part) }, (message) => {
    stop.throwIfAborted();
    progress.reached(message.seq);
    return isOf(part, message, subjects) ? take(message) : undefined;
  });
}

/** The commands know nothing but the log: where it was shortened, they say so. */
export function warnOfGaps({ firstSeq, deletedCount }: LogState, err: SideOutput): void {
  if (firstSeq > 1) err.write(`The log begins at seq ${firstSeq}: what was before it is not seen here\n`);
  if (deletedCount > 0) err.write(`${deletedCount} message(s) are missing inside the log\n`);
}

/** The pods as the log has them. @throws as {@link readLog} */
export async function foldLog(world: World, remote: Remote, part: Part): Promise<Fold> {
  const fold = new Fold(world.subjects);
  await readLog(world, remote, part, (message) => void fold.take(message));
  return fold;
}
