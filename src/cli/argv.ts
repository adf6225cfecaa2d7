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
    /** Options that there are not: said together with what is wrong with the configuration. */
    readonly problems: readonly string[];
  }
  | { readonly wants: "help"; readonly command: Command | null }
  | { readonly wants: "version" };

type Flags = Readonly<Record<string, string | boolean | undefined>>;
type FlagForms = Readonly<Record<string, { readonly type: "string" | "boolean"; readonly short?: string }>>;

/** The commands that there are; where none is named, it is the first. */
type Commands = readonly [Command, ...Command[]];

/**
 * Flags may stand anywhere; the first word that belongs to none of them is the command. `help` and `version` ask for
 * what their flags do.
 *
 * @throws {UsageError} when there is no such command or argument, or an option lacks its value
 */
export function readArgv(args: readonly string[], commands: Commands): Invocation {
  const named = commandWord(args, commands);
  if (named === "version") return { wants: "version" };
  if (named === "help") return readArgv([...args.filter((word) => word !== "help"), "--help"], commands);
  const command = named === null ? commands[0] : findCommand(named, commands);
  const { flags, words, problems } = readFlags(command, args);
  if (flags.version) return { wants: "version" };
  if (flags.help) return { wants: "help", command: named === null ? null : command };
  const given = named === null ? words : words.slice(1);
  // What follows an unknown option may be its value.
  if (problems.length === 0) checkForm(command, given);
  return { wants: "run", command, given: givenOf(given, flags), flags, problems };
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
): { readonly flags: Flags; readonly words: readonly string[]; readonly problems: readonly string[] } {
  const forms = formsOf(command);
  const problems = tokensOf(args, forms).flatMap((token) =>
    token.kind !== "option" || Object.hasOwn(forms, token.name)
      ? []
      : [unknownOption(command, token.rawName, Object.keys(forms))]
  );
  const strict = problems.length === 0;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: forms,
      allowPositionals: true,
      strict,
    });
    return { flags: onlySingle(values), words: positionals, problems };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`Cannot run ${command.name}: ${error.message.split("\n")[0]}`, { cause: error });
  }
}

function unknownOption({ name, options }: Command, option: string, known: readonly string[]): string {
  const own = Object.entries(options).map(([option, { value }]) => `--${option}${value ? ` ${value}` : ""}`);
  const all = `: it has ${[...own, `the settings that tasuki ${name} --help lists`].join(", ")}`;
  return `${name} has no option ${option}${didYouMean(option, known.map((name) => `--${name}`)) || all}`;
}

/** No form allows a flag to be given as a list. */
function onlySingle(values: { readonly [name: string]: unknown }): Flags {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string | boolean] => !Array.isArray(entry[1])),
  );
}

/** As many words as the command's form has. */
function checkForm({ name, form, surplusOption }: Command, words: readonly string[]): void {
  const required = form.match(/<[^>]+>(?!\|)/g)?.length ?? 0;
  const optional = form.match(/\[[^\]]+\]|<[^>]+>(?=\|)/g)?.length ?? 0;
  if (words.length >= required && words.length <= required + optional) return;
  const rule = form === "" ? "it takes no arguments" : `it takes ${form}`;
  const came = words.map((word) => JSON.stringify(word)).join(" ") || "none";
  const isSurplus = surplusOption !== undefined && words.length === required + optional + 1;
  const hint = isSurplus ? `: did you mean --${surplusOption} ${words.at(-1)}?` : "";
  throw new UsageError(`Cannot run ${name}: ${rule}: got ${came}${hint}`);
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
