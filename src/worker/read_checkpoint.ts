/** The checkpoint as it is read (R16), by the worker and by the commands: its covering record, and the pods it covers. */
import { headerNames } from "../log/log_message.ts";
import type { Pod } from "../log/pod.ts";
import {
  type Covering,
  coveringKey,
  decodeCovering,
  decodePod,
  isOfAnotherEpoch,
  savedVersion,
} from "../log/saved_pod.ts";
import { podReadsMax } from "./limits.ts";
import type { Log, ReadableBucket } from "./ports.ts";

const podPrefix = "pod.";

/** The key of a saved pod. */
export function podKey(pod: string): string {
  return podPrefix + pod;
}

export interface FoundCovering {
  /** Null where there is none, or none that fits the stream. */
  readonly record: Covering | null;
  /** Why the one that is there does not fit; null where it fits, and where there is none. */
  readonly problem: string | null;
  readonly revision: number;
}

/**
 * @param created the stream's identity
 * @throws {TransientError} when the server does not answer
 */
export async function findCovering(
  bucket: ReadableBucket,
  log: Pick<Log, "state" | "get">,
  created: string,
): Promise<FoundCovering> {
  const { value, revision } = await bucket.get(coveringKey);
  if (value === null) return { record: null, problem: null, revision };
  const record = decodeCovering(value);
  const problem = record === null
    ? `it is not of format ${savedVersion}`
    : await problemOf(record, log, created);
  return { record: problem === null ? record : null, problem, revision };
}

/** A stream that was restored may be made anew: the message at the end is what it is known by, where that is there. */
async function problemOf(
  { created, position, end }: Covering,
  log: Pick<Log, "state" | "get">,
  streamCreated: string,
): Promise<string | null> {
  const { lastSeq } = await log.state();
  const reached = Math.max(position, end?.seq ?? 0);
  if (reached > lastSeq) return `it reaches seq ${reached}, the stream only ${lastSeq}`;
  const found = end === null ? null : await log.get(end.seq);
  if (found !== null && end !== null) {
    const isSame = found.subject === end.subject && found.timeMs === end.time_ms;
    return isSame ? null : `another message is at seq ${end.seq}`;
  }
  return created === streamCreated
    ? null
    : `it is of a stream made at ${created}, this one was made at ${streamCreated}`;
}

/**
 * Whether the log has what the saved pod includes. What was saved beyond the position of the covering record may be of a
 * log that was rewound since: by as little as its last output. A message that is gone tells nothing.
 *
 * @throws {TransientError} when the server does not answer
 */
export async function isInLog(
  { inputSeq, changedMs, lastOutput }: Pod,
  position: number,
  log: Pick<Log, "state" | "get">,
): Promise<boolean> {
  if (inputSeq <= position) return true;
  const { lastSeq } = await log.state();
  if (Math.max(inputSeq, lastOutput?.seq ?? 0) > lastSeq) return false;
  const input = await log.get(inputSeq);
  if (input !== null && input.timeMs !== changedMs) return false;
  const output = lastOutput && await log.get(lastOutput.seq);
  return output === null || output.header(headerNames.input) === String(lastOutput?.inputSeq);
}

/**
 * The pods that were ever saved.
 *
 * @throws {TransientError} when the server does not answer
 */
export async function savedPodIds(bucket: ReadableBucket): Promise<readonly string[]> {
  const keys = await bucket.keys(podPrefix);
  return keys.map((key) => key.slice(podPrefix.length));
}

interface SavedPods {
  /** Those that are saved and belong to the checkpoint. */
  readonly pods: readonly Pod[];
  /** Ids of those that are saved and cannot be read, or include what the log does not have. */
  readonly broken: readonly string[];
}

/** @throws {TransientError} when the server does not answer */
export async function readSavedPods(
  bucket: ReadableBucket,
  log: Pick<Log, "state" | "get">,
  ids: readonly string[],
  { epoch, position }: Covering,
): Promise<SavedPods> {
  const pods: Pod[] = [];
  const broken: string[] = [];
  const readOne = async (id: string): Promise<void> => {
    const { value } = await bucket.get(podKey(id));
    const pod = value && decodePod(id, value, epoch);
    if (pod && await isInLog(pod, position, log)) pods.push(pod);
    else if (value && !isOfAnotherEpoch(value, epoch)) broken.push(id);
  };
  for (let first = 0; first < ids.length; first += podReadsMax) {
    await Promise.all(ids.slice(first, first + podReadsMax).map(readOne));
  }
  return { pods, broken };
}
