/** The pods that a dump leads to: by the recorded outputs, and where an input has none, as it is decided now (R13). */
import { decideAgain, type LoggedInput } from "../log/decide_logged.ts";
import { headerNames, type LogMessage } from "../log/log_message.ts";
import { Pod } from "../log/pod.ts";
import { readRecorded } from "../log/recorded.ts";
import { type OutputKind, outputKinds, type Subjects } from "../log/subjects.ts";

interface FoldedDump {
  /** Keyed by pod id. */
  readonly pods: ReadonlyMap<string, Pod>;
  /** Inputs that were applied from their records. */
  readonly recorded: number;
  /** Inputs without a record. */
  readonly decided: number;
}

interface DumpedInput extends LoggedInput {
  readonly pod: string;
  /** The one that counts: the first behind its input. */
  output: { readonly kind: OutputKind; readonly message: LogMessage } | null;
}

/**
 * @param messages in log order, of one pod or of several
 * @throws {UnreadableRecord} when an output is of a newer version
 * @throws {Error} when an output cannot be applied
 */
export function foldDump(messages: readonly LogMessage[], subjects: Subjects): FoldedDump {
  const inputs = inputsOf(messages, subjects);
  const pods = new Map<string, Pod>();
  let recorded = 0;
  for (const input of inputs) {
    const pod = pods.get(input.pod) ?? new Pod(input.pod);
    pods.set(input.pod, pod);
    const place = { inputSeq: input.message.seq, atMs: input.message.timeMs };
    if (input.output === null) {
      const { effect, after } = decideAgain(pod, input);
      pod.apply(effect, place, null, after);
    } else {
      recorded++;
      const { kind, message } = input.output;
      pod.apply(readRecorded(kind, message), place, message.seq);
    }
  }
  return { pods, recorded, decided: inputs.length - recorded };
}

/** In log order, each with its output. */
function inputsOf(messages: readonly LogMessage[], subjects: Subjects): readonly DumpedInput[] {
  /** Keyed by seq. */
  const inputs = new Map<number, DumpedInput>();
  for (const message of messages) {
    const { pod, direction, rest } = subjects.parse(message.subject) ?? {};
    if (pod === undefined || rest === undefined) continue;
    if (direction === "in") inputs.set(message.seq, { pod, rest, message, output: null });
    else {
      const input = inputs.get(Number(message.header(headerNames.input)));
      const kind = outputKinds.find((known) => known === rest);
      if (kind !== undefined && input?.pod === pod) input.output ??= { kind, message };
    }
  }
  return [...inputs.values()];
}
