/**
 * The configuration: file, environment and flags are read, later ones win, and every problem is reported at once.
 * No message shows a secret.
 */
import { resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { givensOf, withLogins } from "./givens.ts";
import { withValue } from "./nested.ts";
import { badCombinations, problemsOf, startMessage } from "./problems.ts";
import { type Config, configFileSetting, configSchema, settings } from "./settings.ts";
import { type ConfigSources, readConfigFile } from "./sources.ts";

/**
 * Checks what file, environment and flags say. Paths in the file are relative to its folder, others to `cwd`.
 * A warning names a `TASUKI_…` variable that is no setting: Kubernetes makes up such names. Next to problems it is a
 * line of theirs.
 *
 * @throws {UsageError} that lists every problem, each with the setting's path, its rule, the value unless it
 * may be secret, and the file, variable or flag that it came from
 */
export function loadConfig(sources: ConfigSources): { config: Config; warnings: string[] } {
  const file = readConfigFile(sources);
  const { givens, problems: contradictions } = withLogins(givensOf(sources, file));

  let draft = file.content;
  for (const [path, { value }] of givens) draft = withValue(draft, path, value);
  const result = configSchema.safeParse(draft, { reportInput: true });
  const problems = [
    ...sources.problems,
    ...file.problems,
    ...contradictions,
    ...(result.error?.issues ?? []).flatMap((issue) => problemsOf(issue, givens, file.name)),
    ...badCombinations(givens),
  ];
  const warnings = unknownVariables(sources);
  if (!result.success || problems.length > 0) throw new UsageError(startMessage([...problems, ...warnings]));
  const config = { ...result.data, dataDir: resolve(sources.cwd, result.data.dataDir) };
  return { config, warnings };
}

function unknownVariables({ env }: ConfigSources): string[] {
  const known = new Set([configFileSetting, ...settings].map((setting) => setting.env));
  return Object.keys(env).filter((name) => name.startsWith("TASUKI_") && !known.has(name)).sort()
    .map((name) => `Ignoring ${name}: no setting has this name`);
}
