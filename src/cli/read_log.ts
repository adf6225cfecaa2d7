/** Reads the log from its beginning to the end that it has now, and says how far it is. */
import { Fold } from "../log/fold.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { ReadOptions } from "../worker/ports.ts";
import { readToEnd } from "../worker/read_to_end.ts";
import type { Remote, World } from "./ports.ts";
import { Progress } from "./progress.ts";

/**
 * @param take is given the messages in their order; a promise where the reading is to wait
 * @throws {TransientError} when the server does not answer
 */
export async function readLog(
  { err, nowMs, subjects }: World,
  { log }: Remote,
  only: ReadOptions["only"],
  take: (message: LogMessage) => Promise<void> | void,
): Promise<void> {
  const { lastSeq } = await log.state();
  using progress = new Progress({ err, unit: "messages of the log", total: lastSeq, nowMs });
  await readToEnd(log, subjects, { afterSeq: 0, only }, (message) => {
    progress.reached(message.seq);
    return take(message);
  });
}

/** The pods as the log has them. @throws {TransientError} when the server does not answer */
export async function foldLog(world: World, remote: Remote, only: ReadOptions["only"]): Promise<Fold> {
  const fold = new Fold(world.subjects);
  await readLog(world, remote, only, (message) => void fold.take(message));
  return fold;
}
