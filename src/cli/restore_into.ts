/** Restores what was read, a history or a store, into a pod (SPEC §7). */
import { OperatorError, UsageError } from "../errors.ts";
import { carriedOverText } from "../tasks/list_text.ts";
import type { TaskStore } from "../tasks/store.ts";
import type { Given } from "./command.ts";
import { exchange } from "./exchange.ts";
import { podToken, timeoutOf } from "./given_values.ts";
import { readOutputBody } from "./output_body.ts";
import type { World } from "./ports.ts";

/** Bytes of entries that are sent as they are; the store of more is sent as one snapshot. */
const entriesBytesMax = 900 * 1024;

export interface Replayed {
  readonly store: TaskStore;
  /** What led to it, where it can be told in entries. */
  readonly entries: readonly unknown[] | null;
}

interface RestoreTarget {
  readonly pod: string;
  readonly mode: string;
  readonly timeoutMs: number;
}

/** @throws {UsageError} when there is no such mode */
export function modeOf(given: Given): string {
  const mode = given.text("mode") ?? "into_empty";
  if (mode === "into_empty" || mode === "replace") return mode;
  throw new UsageError(`Cannot restore: --mode is into_empty or replace: got ${JSON.stringify(mode)}`);
}

/** Null where nothing is to be restored. @throws {UsageError} when mode, pod or time makes no sense */
export function restoreTargetOf(given: Given): RestoreTarget | null {
  const mode = modeOf(given);
  const pod = given.text("into");
  return pod === null ? null : { pod: podToken(pod), mode, timeoutMs: timeoutOf(given) };
}

/**
 * A history too large for one message, or known by its store alone, goes as one snapshot.
 *
 * @throws {OperatorError} when the pod refuses it, or does not answer in time
 */
export async function restoreInto(
  world: World,
  { pod, mode, timeoutMs }: RestoreTarget,
  { store, entries }: Replayed,
): Promise<void> {
  const isSmall = entries !== null &&
    new TextEncoder().encode(JSON.stringify(entries)).length <= entriesBytesMax;
  const snapshot = { type: "message", role: "system", text: carriedOverText(store) };
  const content = { restore_id: world.freshId(), mode, entries: isSmall ? entries : [snapshot] };
  await using remote = await world.openRemote();
  const { inputSeq, output } = await exchange(world, remote, {
    pod,
    rest: "session.restore",
    content,
    timeoutMs,
  });
  if (output === null) {
    throw new OperatorError(
      `No answer in time: the restore is in the log at seq ${inputSeq} and will be answered when a worker runs`,
    );
  }
  const body = readOutputBody(output.data);
  if (body?.kind !== "session.restore" || body.error) {
    const why = body?.error?.message ?? body?.detail ?? "its answer cannot be read";
    const cure = body?.error?.code === "wrong_status" ? ": use --mode replace to replace its list" : "";
    throw new OperatorError(`Cannot restore into pod ${pod}: ${why}${cure}`);
  }
  if (!isSmall && body.snapshots !== 1) {
    throw new OperatorError(`Cannot restore into pod ${pod}: its worker could not read the snapshot`);
  }
  world.err.write(`Restored into pod ${pod} at seq ${inputSeq}\n`);
}
