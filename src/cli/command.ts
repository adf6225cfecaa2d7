/** What a command is: its help, the form of its command line, and what it does. */
import type { World } from "./ports.ts";

interface Option {
  readonly type: "string" | "boolean";
  /** What `--help` shows in place of a value: `<ms>`. */
  readonly value?: string;
  readonly description: string;
}

/** What was given on the command line, checked against the command's form. */
export interface Given {
  /** An argument by its place; null where an optional one was left out. */
  argument(place: number): string | null;
  /** An option's value; null where it was left out. */
  text(option: string): string | null;
  isSet(option: string): boolean;
}

/** 0: done; 1: it was tried and failed, which the command has said. */
export type ExitCode = 0 | 1;

export interface Command {
  readonly name: string;
  /** What follows the name: `<…>` must be given, `[…]` may be, in this order; `<…>|--…` is one or the other. */
  readonly form: string;
  /** The option that a word too many was probably meant for. */
  readonly surplusOption?: string;
  /** Two sentences, of which the first says it all in short. */
  readonly about: readonly [string, string];
  /** Keyed by the option's name without dashes. */
  readonly options: Readonly<Record<string, Option>>;
  /** Whether it ends by itself when the world says stop; other commands are interrupted. */
  readonly endsOnStop?: true;
  /**
   * @throws {UsageError} when what was given makes no sense
   * @throws {OperatorError} when a person has to change something
   * @throws {TransientError} when the server does not answer
   */
  run(world: World, given: Given): Promise<ExitCode>;
}
