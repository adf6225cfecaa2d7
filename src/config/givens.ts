/** What file, environment and flags say, before it is checked; later ones win. */
import { splitLogin } from "./addresses.ts";
import { valueAt } from "./nested.ts";
import { absolute } from "./paths.ts";
import { type Setting, settings } from "./settings.ts";
import { type ConfigFile, type ConfigSources, textOfFlag, textOfVariable } from "./sources.ts";

/** A value before it is checked, and what a message calls the place it came from. */
export interface Given {
  readonly value: unknown;
  readonly origin: string;
}

/** What was given, keyed by the setting's path. */
export type Givens = ReadonlyMap<string, Given>;

/** Paths in the file are relative to its folder, others to the working directory. */
export function givensOf(sources: ConfigSources, file: ConfigFile): Givens {
  return new Map([
    ...givensOfFile(file),
    ...givensOfTexts(sources, ({ env }) => ({ text: textOfVariable(sources, env), origin: env })),
    ...givensOfTexts(sources, ({ flag }) => ({ text: textOfFlag(sources, flag), origin: flag })),
  ]);
}

function givensOfFile({ name, folder, content }: ConfigFile): [path: string, Given][] {
  return settings.flatMap(({ path, kind }) => {
    const value = valueAt(content, path);
    if (value === undefined) return [];
    return [[path, { value: kind === "path" ? absolute(value, folder) : value, origin: name }]];
  });
}

function givensOfTexts(
  { cwd }: ConfigSources,
  find: (setting: Setting) => { text: string | undefined; origin: string },
): [path: string, Given][] {
  return settings.flatMap((setting) => {
    const { text, origin } = find(setting);
    return text === undefined ? [] : [[setting.path, { value: readText(setting, text, cwd), origin }]];
  });
}

/** What cannot be read stays a text, for the schema to refuse. */
function readText({ kind }: Setting, text: string, cwd: string): unknown {
  switch (kind) {
    case "text":
    case "secret":
      return text;
    case "path":
      return absolute(text, cwd);
    case "number":
      return /^-?\d+$/.test(text) ? Number(text) : text;
    case "list":
      return text.split(",").map((item) => item.trim());
    case "switch":
      return text === "true" || text === "false" ? text === "true" : text;
  }
}

/** With the credentials in the addresses moved to the settings that they stand for, and what contradicts there. */
export function withLogins(
  givens: Givens,
): { readonly givens: Givens; readonly problems: readonly string[] } {
  const servers = givens.get("nats.servers");
  if (servers === undefined || !Array.isArray(servers.value)) return { givens, problems: [] };
  const { origin } = servers;
  const split = servers.value.map(splitLogin);
  const moved = new Map(givens).set("nats.servers", { value: split.map(({ address }) => address), origin });
  const problems = split.flatMap(({ login }) => login).flatMap(([path, value]) => {
    const other = moved.get(path);
    moved.set(path, other ?? { value, origin });
    return other === undefined || other.value === value
      ? []
      : [`${path} must be given once: got another one in nats.servers (${origin})`];
  });
  return { givens: moved, problems };
}
