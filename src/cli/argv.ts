/** From the command line to what is asked for. */
import { parseArgs } from "node:util";
import { configFlags } from "../config/settings.ts";
import { UsageError } from "../errors.ts";
import type { Command, Given } from "./command.ts";
import { didYouMean } from "./did_you_mean.ts";

export type Invocation =
  | {
    readonly wants: "run";
    readonly command: Command;
    readonly given: Given;
    /** All of them, those of the configuration among them, keyed by flag without dashes. */
    readonly flags: Flags;
  }
  | { readonly wants: "help"; readonly command: Command | null }
  | { readonly wants: "version" };

type Flags = Readonly<Record<string, string | boolean | undefined>>;
type FlagForms = Readonly<Record<string, { readonly type: "string" | "boolean"; readonly short?: string }>>;

/** The commands that there are; where none is named, it is the first. */
export type Commands = readonly [Command, ...Command[]];

/**
 * Flags may stand anywhere; the first word that belongs to none of them is the command.
 *
 * @throws {UsageError} when there is no such command, option or argument
 */
export function readArgv(args: readonly string[], commands: Commands): Invocation {
  const named = commandWord(args, commands);
  const command = named === null ? commands[0] : findCommand(named, commands);
  const { flags, words } = readFlags(command, args);
  if (flags.version) return { wants: "version" };
  if (flags.help) return { wants: "help", command: named === null ? null : command };
  const given = named === null ? words : words.slice(1);
  checkForm(command, given);
  return { wants: "run", command, given: givenOf(given, flags), flags };
}

function findCommand(named: string, commands: Commands): Command {
  const command = commands.find(({ name }) => name === named);
  if (command) return command;
  const names = commands.map(({ name }) => name);
  const hint = didYouMean(named, names) || `: the commands are ${names.join(", ")}`;
  throw new UsageError(`Cannot run ${JSON.stringify(named)}: there is no such command${hint}`);
}

/** Null where every word belongs to a flag. */
function commandWord(args: readonly string[], commands: Commands): string | null {
  const forms = Object.assign({}, ...commands.map(formsOf));
  return tokensOf(args, forms).find((token) => token.kind === "positional")?.value ?? null;
}

/** What the parser may know of a command's flags. */
function formsOf({ options }: Command): FlagForms {
  const own = Object.entries(options).map(([name, { type }]) => [name, { type }] as const);
  return {
    ...configFlags(),
    ...Object.fromEntries(own),
    help: { type: "boolean", short: "h" },
    version: { type: "boolean" },
  };
}

function tokensOf(args: readonly string[], options: FlagForms) {
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function readFlags(
  command: Command,
  args: readonly string[],
): { readonly flags: Flags; readonly words: readonly string[] } {
  const forms = formsOf(command);
  for (const token of tokensOf(args, forms)) {
    if (token.kind !== "option" || Object.hasOwn(forms, token.name)) continue;
    const hint = didYouMean(token.rawName, Object.keys(forms).map((name) => `--${name}`));
    throw new UsageError(`Cannot run ${command.name}: it has no option ${token.rawName}${hint}`);
  }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: forms, allowPositionals: true });
    return { flags: onlySingle(values), words: positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`Cannot run ${command.name}: ${error.message.split("\n")[0]}`, { cause: error });
  }
}

/** No form allows a flag to be given as a list. */
function onlySingle(values: { readonly [name: string]: unknown }): Flags {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string | boolean] => !Array.isArray(entry[1])),
  );
}

/** As many words as the command's form has. */
function checkForm({ name, form }: Command, words: readonly string[]): void {
  const required = form.match(/<[^>]+>/g)?.length ?? 0;
  const optional = form.match(/\[[^\]]+\]/g)?.length ?? 0;
  if (words.length >= required && words.length <= required + optional) return;
  const rule = form === "" ? "it takes no arguments" : `it takes ${form}`;
  const came = words.map((word) => JSON.stringify(word)).join(" ") || "none";
  throw new UsageError(`Cannot run ${name}: ${rule}: got ${came}`);
}

function givenOf(words: readonly string[], flags: Flags): Given {
  return {
    argument: (place) => words[place] ?? null,
    text: (option) => {
      const value = flags[option];
      return typeof value === "string" ? value : null;
    },
    isSet: (option) => flags[option] === true,
  };
}
