/** Where a configuration comes from, and the file among these. */
import { parse } from "@std/jsonc";
import { dirname, resolve } from "node:path";
import { configFileSetting, optionOf } from "./settings.ts";

export interface ConfigSources {
  /** An empty variable counts as none. */
  readonly env: Readonly<Record<string, string>>;
  /** Keyed as `configFlags` is, without dashes; other keys are left alone. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  /** What is wrong with the command line already. */
  readonly problems: readonly string[];
  /** Throws an error with the name `NotFound` where there is no such file. */
  readonly readTextFile: (path: string) => string;
  /** Absolute. */
  readonly cwd: string;
}

/** Undefined where it was not given. */
export function textOfVariable({ env }: ConfigSources, variable: string): string | undefined {
  return env[variable] || undefined;
}

/** Undefined where it was not given; that of a switch is "true" or "false". */
export function textOfFlag({ flags }: ConfigSources, flag: string): string | undefined {
  const value = flags[optionOf(flag)];
  return value === undefined ? undefined : String(value);
}

export interface ConfigFile {
  /** As it was given. */
  readonly name: string;
  readonly folder: string;
  /** Not checked yet; an empty object where there is no file, or none that can be read. */
  readonly content: unknown;
  readonly problems: readonly string[];
}

export function readConfigFile(sources: ConfigSources): ConfigFile {
  const { flag, env, defaultText } = configFileSetting;
  const named = textOfFlag(sources, flag) ?? textOfVariable(sources, env);
  const name = named ?? defaultText;
  const place = resolve(sources.cwd, name);
  const file = { name, folder: dirname(place), content: {}, problems: [] };
  try {
    return { ...file, content: parse(sources.readTextFile(place)) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const mayBeMissing = named === undefined;
    return mayBeMissing && error.name === "NotFound"
      ? file
      : { ...file, problems: [fileProblem(name, error)] };
  }
}

function fileProblem(name: string, error: Error): string {
  if (error.name === "NotFound") return `${name} must exist: got no such file`;
  if (!(error instanceof SyntaxError)) return `${name} must be readable: got ${error.name}: ${error.message}`;
  const position = /position \d+.*/.exec(error.message)?.[0];
  return `${name} must be JSONC: got a syntax error at ${position ?? "its end"}`;
}
