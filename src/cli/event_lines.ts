/** What an output of the log means, in lines for a person. */
import type { LogMessage } from "../log/log_message.ts";
import { outputKinds, type ParsedSubject } from "../log/subjects.ts";
import { type OutputBody, readOutputBody } from "./output_body.ts";
import { changeLine, type TaskChange } from "./task_changes.ts";
import { lineForTerminal } from "./terminal_text.ts";

/**
 * One line per change, after one on what led to it where that says more: a refusal, a compaction, a restore. None for
 * inputs, reads and repeats.
 *
 * @param changes what the message did to the pod's store
 */
export function eventLines(
  message: LogMessage,
  { direction, rest }: ParsedSubject,
  changes: readonly TaskChange[],
): readonly string[] {
  const body = direction === "out" ? readOutputBody(message.data) : null;
  const event = body === null || body.duplicate ? null : eventLine(rest, body);
  const isSummedUp = body?.reset !== undefined;
  return [
    ...(event === null ? [] : [lineForTerminal(event)]),
    ...(isSummedUp ? [] : changes.map(changeLine)),
  ];
}

function eventLine(rest: string, body: OutputBody): string | null {
  const kind = outputKinds.find((known) => known === rest);
  switch (kind) {
    case "result": {
      const code = body.result?.structuredContent.error?.code;
      return code === undefined ? null : `${body.tool} refused (${code})`;
    }
    case "snapshot":
      return `compaction ${body.compact_id} started`;
    case "inject":
      return `compaction ${body.compact_id} finished: the list is carried over`;
    case "rejected":
      return `input ${body.input_seq} rejected (${body.reason}): ${body.detail}`;
    case "event":
      return body.error ? `${body.kind} refused (${body.error.code})` : whatHappened(body);
    case undefined:
      return null;
  }
}

function whatHappened(body: OutputBody): string {
  switch (body.kind) {
    case "compact.failed":
      return `compaction ${body.compact_id} failed`;
    case "session.restore":
      return `list restored: ${body.applied} call(s) and ${body.snapshots} snapshot(s) applied`;
    case "session.closed":
      return "session closed: the list is empty";
    case "agent.exited":
      return `agent ${body.agent} exited`;
    default:
      return `${body.kind}`;
  }
}
