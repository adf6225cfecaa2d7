/**
 * Where the reading of the log begins: at its first message; or, where something of it was thrown away, behind the
 * checkpoint that has it.
 */
import type { Pod } from "../log/pod.ts";
import type { Log, LogState } from "../worker/ports.ts";
import { findCovering, type FoundCovering, readSavedPods, savedPodIds } from "../worker/read_checkpoint.ts";
import type { Part } from "./part.ts";
import type { LogAndCheckpoint, SideOutput } from "./ports.ts";
import { lineForTerminal } from "./terminal_text.ts";

export interface StartingPoint {
  /** The log is read after this seq. */
  readonly afterSeq: number;
  /** As the log had them there, or later; none where it is read from its first message. */
  readonly pods: readonly Pod[];
}

/**
 * Says on `err` what is not to be seen.
 *
 * @param state of the log, as it is now
 * @throws {TransientError} when the server does not answer
 */
export async function startingPoint(
  err: SideOutput,
  { log, bucket }: LogAndCheckpoint,
  state: LogState,
  part: Part,
): Promise<StartingPoint> {
  const { created, firstSeq, deletedCount, lastSeq } = state;
  if (firstSeq <= 1 && deletedCount === 0) return { afterSeq: 0, pods: [] };
  const covering = await findCovering(bucket, log, created);
  const { record } = covering;
  if (record === null || record.position < firstSeq - 1) {
    warnOfHoles(deletedCount, err);
    warnOfLateStart(state, err, ` (${whyOfNoUse(covering)})`);
    return { afterSeq: firstSeq - 1, pods: [] };
  }
  warnOfHoles(await missingAfter(log, record.position, lastSeq), err);
  const ids = part === null ? await savedPodIds(bucket) : [part];
  const { pods, broken } = await readSavedPods(bucket, log, ids, record);
  if (broken.length > 0) {
    const names = lineForTerminal(broken.join(", "));
    err.write(
      `What is saved of ${names} is broken: what was up to seq ${record.position} is not seen here\n`,
    );
  }
  return { afterSeq: record.position, pods };
}

function whyOfNoUse({ record, problem }: FoundCovering): string {
  if (record !== null) return `the checkpoint ends at seq ${record.position}`;
  return problem === null
    ? "there is no checkpoint"
    : lineForTerminal(`the checkpoint is of no use: ${problem}`);
}

/** @param why nothing else has what was before */
export function warnOfLateStart({ firstSeq }: LogState, err: SideOutput, why = ""): void {
  if (firstSeq > 1) {
    err.write(`The log begins at seq ${firstSeq}: what was before it is not seen here${why}\n`);
  }
}

export function warnOfHoles(count: number, err: SideOutput): void {
  if (count > 0) err.write(`${count} message(s) are missing inside the log\n`);
}

/** How many messages are missing between two seqs: what was erased behind the checkpoint is no loss. */
async function missingAfter(log: Log, afterSeq: number, lastSeq: number): Promise<number> {
  if (lastSeq <= afterSeq) return 0;
  const reader = await log.read({ afterSeq, only: "everything", messagesMax: 1 });
  try {
    return Math.max(0, lastSeq - afterSeq - reader.pending);
  } finally {
    await reader.close();
  }
}

/**
 * Whether nothing after the seq was thrown away, so that who has read from there has read everything.
 *
 * @throws {TransientError} when the server does not answer
 */
export async function isWholeAfter(log: Pick<Log, "state">, seq: number): Promise<boolean> {
  return (await log.state()).firstSeq <= seq + 1;
}
