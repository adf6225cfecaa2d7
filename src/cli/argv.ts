/** From the command line to a command and what was given to it. */
import { parseArgs } from "node:util";
import { configFlags } from "../config.ts";
import { UsageError } from "../errors.ts";
import type { Command, Given } from "./command.ts";
import { didYouMean } from "./did_you_mean.ts";

export interface Invocation {
  readonly command: Command;
  readonly given: Given;
  /** Values of the configuration's flags, keyed by flag without dashes. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  /** What is asked for instead of running the command. */
  readonly wants: "help" | "program_help" | "version" | null;
}

const generalOptions = { help: { type: "boolean", short: "h" }, version: { type: "boolean" } } as const;

/**
 * Flags may stand anywhere; the first word that is none is the command, and without one it is the first of the list.
 *
 * @throws {UsageError} when there is no such command, option or argument
 */
export function readArgv(args: readonly string[], commands: readonly [Command, ...Command[]]): Invocation {
  const named = commandWord(args);
  const command = named === null ? commands[0] : commands.find(({ name }) => name === named);
  if (!command) {
    const names = commands.map(({ name }) => name);
    const hint = didYouMean(named ?? "", names) || `: the commands are ${names.join(", ")}`;
    throw new UsageError(`Cannot run ${JSON.stringify(named)}: there is no such command${hint}`);
  }
  const { values, positionals } = parse(command, args);
  const words = named === null ? positionals : positionals.slice(1);
  const wants = values.version === true
    ? "version"
    : values.help !== true
    ? null
    : named === null
    ? "program_help"
    : "help";
  if (wants === null) checkForm(command, words);
  return { command, given: givenOf(words, values), flags: textsOf(values), wants };
}

/** Null where every word belongs to a flag. */
function commandWord(args: readonly string[]): string | null {
  const options = { ...configFlags(), ...generalOptions };
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens.find((token) => token.kind === "positional")?.value ?? null;
}

interface Parsed {
  readonly values: { readonly [name: string]: unknown };
  readonly positionals: readonly string[];
}

function parse(command: Command, args: readonly string[]): Parsed {
  const own = Object.entries(command.options).map(([name, { type }]) => [name, { type }] as const);
  const options = { ...configFlags(), ...generalOptions, ...Object.fromEntries(own) };
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const unknown = tokens.find((token) => token.kind === "option" && !Object.hasOwn(options, token.name));
  if (unknown?.kind === "option") {
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new UsageError(
      `Cannot run ${command.name}: it has no option ${unknown.rawName}${didYouMean(unknown.rawName, known)}`,
    );
  }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`Cannot run ${command.name}: ${error.message.split("\n")[0]}`, { cause: error });
  }
}

/** As many words as the command's form has. */
function checkForm({ name, form }: Command, words: readonly string[]): void {
  const required = form.match(/<[^>]+>/g)?.length ?? 0;
  const optional = form.match(/\[[^\]]+\]/g)?.length ?? 0;
  if (words.length >= required && words.length <= required + optional) return;
  const rule = form === "" ? "it takes no arguments" : `it takes ${form}`;
  const came = words.length === 0 ? "none" : words.map((word) => JSON.stringify(word)).join(" ");
  throw new UsageError(`Cannot run ${name}: ${rule}: got ${came}`);
}

function givenOf(words: readonly string[], values: Parsed["values"]): Given {
  const texts = textsOf(values);
  return {
    argument: (place) => words[place] ?? null,
    text: (option) => texts[option] ?? null,
    isSet: (option) => values[option] === true,
  };
}

function textsOf(values: Parsed["values"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
