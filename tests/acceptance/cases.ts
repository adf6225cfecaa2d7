/** Recorded sessions and small cases: what comes, and what must be answered. */
import { fileURLToPath } from "node:url";
import type { Json } from "../helpers/pod.ts";

export interface Case {
  readonly id: string;
  readonly about?: string;
  readonly steps: readonly Step[];
  /** The list at the end. */
  readonly final?: readonly Json[];
}

export type Step = CallStep | CompactStep | EventStep | RawStep | RestartStep;

export interface CallStep {
  readonly tool: string;
  readonly arguments: Json;
  /** The call id; by default a new one. */
  readonly call?: string;
  readonly agent?: string;
  /** Neighbours of the same turn are sent together. */
  readonly turn?: number;
  /** Sent now, its answer looked at when everything was sent. */
  readonly nowait?: boolean;
  /** A request on the reading lane. */
  readonly read?: boolean;
  readonly expect?: Expectation;
}

export interface CompactStep {
  readonly compact: true;
  /** `compact.finished` of the last compaction once more. */
  readonly again?: boolean;
  readonly expect?: Expectation;
}

export interface EventStep {
  readonly event: string;
  readonly data?: Json;
  readonly expect?: Expectation;
}

export interface RawStep {
  /** The subject after `in.`. */
  readonly raw: string;
  readonly data?: string;
  readonly hex?: string;
  /** `{created}` stands for the stream's creation time, `{next}` for its last seq + 1. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly expect?: Expectation;
}

/** The worker is killed and started again. */
export interface RestartStep {
  readonly restart: true;
}

/** What is not named is not looked at. */
export interface Expectation {
  readonly ok?: boolean;
  readonly error?: string;
  readonly taskid?: number;
  /** Fields that the task must have. */
  readonly task?: Json;
  /** How many tasks, or the fields that each must have. */
  readonly tasks?: number | readonly Json[];
  /** Parts of the text. */
  readonly text?: string | readonly string[];
  readonly no_text?: string | readonly string[];
  readonly warning?: boolean | string;
  readonly duplicate?: boolean;
  readonly unblocked?: readonly number[];
  /** The names of the fields that changed, besides `taskid`; not looked at in a repeat, unless empty. */
  readonly changed?: readonly string[];
  readonly rejected?: boolean;
}

const folder = fileURLToPath(new URL(".", import.meta.url));

export function loadSessions(): readonly Case[] {
  const names = [...Deno.readDirSync(`${folder}sessions`)].map(({ name }) => name).toSorted();
  return names.map((name) => JSON.parse(Deno.readTextFileSync(`${folder}sessions/${name}`)));
}

export function loadInputs(): readonly Case[] {
  return JSON.parse(Deno.readTextFileSync(`${folder}inputs.json`));
}
