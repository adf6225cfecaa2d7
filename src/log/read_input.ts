/** From the bytes of an input to what it says. What has no usable id is rejected; the rest can be answered. */
import { z } from "zod";
import { noteCharsMax, quoteCharsMax } from "../tasks/limits.ts";
import { type Refusal, refuse } from "../tasks/refusal.ts";
import { cutText } from "../tasks/text.ts";
import { shown } from "../tools/shown.ts";
import { isAgentName, isId, isNote, isToken } from "../tools/tokens.ts";
import { RejectedInput } from "./rejected_input.ts";
import { textOf } from "./utf8.ts";

interface Common {
  /** `call_id`, `compact_id`, `restore_id` or `event_id`. */
  readonly id: string;
  /** Set where the id is good and another field of the envelope is wrong. */
  readonly refusal: Refusal | null;
}

export type Input =
  & Common
  & (
    | {
      readonly kind: "call";
      /** The tool as the subject names it. */
      readonly tool: string;
      readonly arguments: unknown;
      readonly agent: string | null;
      readonly session: string | null;
    }
    | { readonly kind: "compact.started"; readonly session: string | null }
    | {
      readonly kind: "compact.finished";
      readonly session: string | null;
      readonly newSession: string | null;
    }
    | { readonly kind: "compact.failed"; readonly session: string | null; readonly reason: string | null }
    | {
      readonly kind: "session.restore";
      readonly entries: readonly unknown[];
      readonly mode: "replace" | "into_empty";
    }
    | { readonly kind: "session.closed" }
    | { readonly kind: "agent.exited"; readonly agent: string; readonly reason: string | null }
  );
export type EventKind = Exclude<Input["kind"], "call">;

/** The name of the id field of each kind of event. */
export const idFields: { readonly [kind in EventKind]: "compact_id" | "restore_id" | "event_id" } = {
  "compact.started": "compact_id",
  "compact.finished": "compact_id",
  "compact.failed": "compact_id",
  "session.restore": "restore_id",
  "session.closed": "event_id",
  "agent.exited": "event_id",
};

export function isEventKind(kind: string): kind is EventKind {
  return Object.hasOwn(idFields, kind);
}

/** Schemas say the second half of a sentence, whose first is the field's name. */
const textRule = "must be a text";
const note = z.string(textRule).refine(isNote, `may have at most ${noteCharsMax} characters`).nullish()
  .transform((text) => text?.toWellFormed() ?? null);
const agent = z.string(textRule).refine(isAgentName, "must be 1 to 64 of A-Z a-z 0-9 _ . : @ / -");
const optionalAgent = agent.nullish().transform((name) => name ?? null);

const callFields = z.object({ agent: optionalAgent, session: note });
const compactFields = z.object({ session: note, new_session: note, reason: note });
const modes = ["replace", "into_empty"] as const;
const restoreFields = z.object({
  entries: z.array(z.unknown(), "must be a list"),
  mode: z.enum(modes, `must be one of ${modes.join(", ")}`).nullish().transform((mode) =>
    mode ?? "into_empty"
  ),
});
const exitFields = z.object({ agent, reason: note });
/** So that a refusal can say what came. */
const withInput = { reportInput: true };

/**
 * @param rest the input's subject after `in.`
 * @throws {RejectedInput} when the input cannot be answered otherwise
 */
export function readInput(rest: string, data: Uint8Array): Input {
  const [, tool] = /^call\.([^.]+)$/.exec(rest) ?? [];
  if (tool !== undefined && isToken(tool)) return readCallEnvelope(tool, envelopeOf(data));
  if (!isEventKind(rest)) {
    const known = ["call.<Tool>", ...Object.keys(idFields)].map((input) => `in.${input}`).join(", ");
    throw new RejectedInput("unknown_input", `there is no input "in.${rest}": the inputs are ${known}`);
  }
  return readEvent(rest, envelopeOf(data));
}

type Envelope = { readonly [name: string]: unknown };

function envelopeOf(data: Uint8Array): Envelope {
  const value = jsonOf(utf8Of(data));
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new RejectedInput("bad_envelope", `an input is a JSON object: got ${shown(value)}`);
  }
  const envelope: Envelope = { ...value };
  if (Object.hasOwn(envelope, "v") && envelope.v !== 1) {
    throw new RejectedInput(
      "unsupported_version",
      `this worker reads inputs of v 1: got ${shown(envelope.v)}`,
    );
  }
  return envelope;
}

function utf8Of(data: Uint8Array): string {
  try {
    return textOf(data);
  } catch (error) {
    if (error instanceof TypeError) throw new RejectedInput("not_utf8", "an input is UTF-8: got other bytes");
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) {
      throw new RejectedInput("not_json", `an input is JSON: ${cutText(error.message, quoteCharsMax)}`);
    }
    throw error;
  }
}

function idOf(envelope: Envelope, field: string): string {
  const id = envelope[field];
  if (isId(id)) return id;
  throw new RejectedInput(
    "bad_envelope",
    `${field} must be a string of 1 to 128 printable ASCII characters: got ${shown(id)}`,
  );
}

function readCallEnvelope(tool: string, envelope: Envelope): Input {
  const common = {
    kind: "call",
    id: idOf(envelope, "call_id"),
    tool,
    arguments: envelope.arguments,
  } as const;
  const fields = callFields.safeParse(envelope, withInput);
  return fields.success
    ? { ...common, ...fields.data, refusal: null }
    : { ...common, agent: null, session: null, refusal: refusalOf(fields.error) };
}

function readEvent(kind: EventKind, envelope: Envelope): Input {
  const id = idOf(envelope, idFields[kind]);
  switch (kind) {
    case "compact.started":
    case "compact.finished":
    case "compact.failed": {
      const fields = compactFields.safeParse(envelope, withInput);
      const { session, new_session: newSession, reason } = fields.data ??
        { session: null, new_session: null, reason: null };
      const refusal = fields.success ? null : refusalOf(fields.error);
      return { kind, id, session, newSession, reason, refusal };
    }
    case "session.restore": {
      const fields = restoreFields.safeParse(envelope, withInput);
      const { entries, mode } = fields.data ?? { entries: [], mode: "into_empty" as const };
      return { kind, id, entries, mode, refusal: fields.success ? null : refusalOf(fields.error) };
    }
    case "session.closed":
      return { kind, id, refusal: null };
    case "agent.exited": {
      const fields = exitFields.safeParse(envelope, withInput);
      const { agent, reason } = fields.data ?? { agent: "", reason: null };
      return { kind, id, agent, reason, refusal: fields.success ? null : refusalOf(fields.error) };
    }
  }
}

function refusalOf(error: z.ZodError): Refusal {
  const problems = error.issues.map(({ path, message, input }) =>
    `${path.join(".")} ${message}: got ${shown(input)}`
  );
  return refuse("invalid_arguments", problems.join("; "));
}
