/** The stream: made where it is missing, left as it is and checked where it is there (R1). */
import type { Config } from "../config/settings.ts";
import { OperatorError } from "../errors.ts";
import type { Subjects } from "../log/subjects.ts";
import { messageBytesMax } from "../tasks/limits.ts";
import { isOverlap, isStreamNotFound, saidBy } from "./api_errors.ts";
import {
  DiscardPolicy,
  type JetStreamManager,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  StoreCompression,
  type StreamConfig,
} from "./client.ts";

interface StreamOptions {
  readonly manager: JetStreamManager;
  readonly subjects: Subjects;
  readonly config: Pick<Config, "stream" | "replicas" | "duplicateWindowMs" | "compression">;
  /** The server's limit on a message, in bytes. */
  readonly maxPayload: number;
}

/** @throws {OperatorError} when the stream cannot be made, or cannot serve: one message with every cure */
export async function ensureStream(options: StreamOptions): Promise<void> {
  const { manager, subjects, config, maxPayload } = options;
  const problems = maxPayload < messageBytesMax
    ? [`the server's max_payload must be at least ${messageBytesMax}: got ${maxPayload}`]
    : [];
  const existing = await findStream(manager, config.stream);
  if (existing) problems.push(...streamProblems(existing, subjects));
  if (problems.length > 0) {
    throw new OperatorError(`Cannot use stream ${config.stream}: ${problems.join("; ")}`);
  }
  if (!existing) await makeStream(options);
}

/** Null where there is none. @throws {OperatorError} when the server cannot say */
export async function findStream(manager: JetStreamManager, stream: string): Promise<StreamConfig | null> {
  try {
    return (await manager.streams.info(stream)).config;
  } catch (error) {
    if (isStreamNotFound(error)) return null;
    throw asOperatorError(`Cannot look for stream ${stream}`, error);
  }
}

async function makeStream({ manager, subjects, config }: StreamOptions): Promise<void> {
  try {
    await manager.streams.add({
      name: config.stream,
      subjects: [...subjects.captured],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.New,
      num_replicas: config.replicas,
      duplicate_window: nanos(config.duplicateWindowMs),
      allow_direct: true,
      ...(config.compression === "s2" ? { compression: StoreCompression.S2 } : {}),
    });
  } catch (error) {
    // Another worker may have made it in the meantime.
    const made = await findStream(manager, config.stream);
    if (!made) throw asOperatorError(`Cannot make stream ${config.stream}`, error);
    const problems = streamProblems(made, subjects);
    if (problems.length > 0) {
      throw new OperatorError(`Cannot use stream ${config.stream}: ${problems.join("; ")}`);
    }
  }
}

function asOperatorError(what: string, error: unknown): Error {
  if (!(error instanceof NatsError)) return error instanceof Error ? error : new Error(String(error));
  const cure = isOverlap(error)
    ? "choose another prefix (TASUKI_PREFIX), or name that stream (TASUKI_STREAM)"
    : "is JetStream on, and may this login use it?";
  return new OperatorError(`${what}: ${saidBy(error)}: ${cure}`, { cause: error });
}

/** What a publisher could do by a header of its message, where the stream has this on. */
const harmfulFields = [
  ["allow_rollup_hdrs", "a publisher could throw the log away"],
  ["allow_msg_ttl", "a publisher could let its messages expire"],
  ["allow_msg_counter", "no message without a count would be taken"],
  ["allow_msg_schedules", "a publisher could publish as another pod"],
] as const;

function isOn(config: StreamConfig, field: string): boolean {
  return Object.entries(config).some(([name, value]) => name === field && value === true);
}

/** What keeps an existing stream from serving, each field with its cure. */
export function streamProblems(config: StreamConfig, subjects: Subjects): readonly string[] {
  const problems: string[] = [];
  const must = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  const captured = config.subjects ?? [];
  for (const wanted of subjects.captured) {
    const isCaptured = captured.some((pattern) => covers(pattern, wanted));
    must(isCaptured, `subjects must capture ${wanted}: got ${captured.join(", ") || "none"}`);
  }
  must(!isOfAnotherPrefix(config, subjects), "it is of another prefix: name another stream (TASUKI_STREAM)");
  const taken = captured.find((pattern) => overlaps(pattern, subjects.allReads));
  must(taken === undefined, `subjects must not capture ${subjects.allReads} (requests): ${taken} does`);
  must(config.storage === StorageType.File, `storage must be file: got ${config.storage}`);
  must(config.retention === RetentionPolicy.Limits, `retention must be limits: got ${config.retention}`);
  must(!config.no_ack, "no_ack must be off");
  must(!config.sealed, "it is sealed: use another stream");
  must(!config.mirror, "it is a mirror: use the stream itself");
  must(
    config.max_msg_size < 0 || config.max_msg_size >= messageBytesMax,
    `max_msg_size must be -1 or at least ${messageBytesMax}: got ${config.max_msg_size}`,
  );
  must(!(config.max_age > 0), `max_age must be 0, since it throws messages away: got ${config.max_age} ns`);
  must(
    !(config.max_msgs_per_subject > 0) || config.discard_new_per_subject === true,
    `max_msgs_per_subject must be -1, since it throws messages away: got ${config.max_msgs_per_subject}`,
  );
  for (const [field, harm] of harmfulFields) {
    must(!isOn(config, field), `${field} must be off, since ${harm}`);
  }
  const limited = ([["max_msgs", config.max_msgs], ["max_bytes", config.max_bytes]] as const)
    .filter(([, value]) => value > 0).map(([name, value]) => `${name} ${value}`);
  must(
    config.discard === DiscardPolicy.New || limited.length === 0,
    `discard: old throws messages away at ${limited.join(", ")}: remove the limit or set discard: new`,
  );
  return problems;
}

/** Whether it captures something, and nothing of this prefix: what is in it is another one's log. */
export function isOfAnotherPrefix({ subjects: captured = [] }: StreamConfig, subjects: Subjects): boolean {
  const isOwn = (pattern: string): boolean => subjects.captured.some((own) => overlaps(pattern, own));
  return captured.length > 0 && !captured.some(isOwn);
}

/** Whether every subject that `wanted` matches is matched by `pattern`; both may have wildcards. */
function covers(pattern: string, wanted: string): boolean {
  const have = pattern.split(".");
  const want = wanted.split(".");
  for (const [index, token] of have.entries()) {
    if (token === ">") return want.length > index;
    const other = want[index];
    if (other === undefined || other === ">" || (token !== "*" && token !== other)) return false;
  }
  return have.length === want.length;
}

/** Whether some subject is matched by both patterns. */
function overlaps(a: string, b: string): boolean {
  const left = a.split(".");
  const right = b.split(".");
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const one = left[index];
    const other = right[index];
    if (one === undefined || other === undefined) return false;
    if (one === ">" || other === ">") return true;
    if (one !== "*" && other !== "*" && one !== other) return false;
  }
  return true;
}
