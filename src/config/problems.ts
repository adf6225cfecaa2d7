/** What is wrong with a configuration, in sentences that show no secret: path, rule, value, and where it came from. */
import type { z } from "zod";
import { isListenAddress, isLoopback, redactedAddress } from "./addresses.ts";
import type { Givens } from "./givens.ts";
import { isObject } from "./nested.ts";
import { type Kind, settings } from "./settings.ts";

/** @param fileName of what was not given elsewhere */
export function problemsOf(issue: z.core.$ZodIssue, givens: Givens, fileName: string): readonly string[] {
  if (issue.code === "unrecognized_keys") {
    const paths = issue.keys.map((key) => pathText([...issue.path, key]));
    return paths.map((path) => `${path} must be the name of a setting: got an unknown one (${fileName})`);
  }
  const path = issue.path.filter((key) => typeof key === "string").join(".");
  const kind = settings.find((setting) => setting.path === path)?.kind;
  const origin = givens.get(path)?.origin ?? fileName;
  return [`${pathText(issue.path)} ${issue.message}: got ${shown(issue.input, kind)} (${origin})`];
}

/** What each setting allows, but not together. */
export function badCombinations(givens: Givens): readonly string[] {
  const named = (path: string) => `${path} (${givens.get(path)?.origin})`;
  const logins = ["nats.creds", "nats.nkey", "nats.user", "nats.token"].filter((path) => givens.has(path));
  const pairs = [["nats.user", "nats.password"], ["nats.tls.cert", "nats.tls.key"]] as const;
  return [
    ...(logins.length > 1
      ? [`nats must have one way to log in: got ${logins.map(named).join(" and ")}`]
      : []),
    ...(showsBoardsToAnybody(givens)
      ? [`httpToken must be set where http is beyond loopback, or httpPage "off": got ${named("http")} alone`]
      : []),
    ...pairs.flatMap(([one, other]) => [[one, other], [other, one]] as const)
      .filter(([path, partner]) => givens.has(path) && !givens.has(partner))
      .map(([path, partner]) => `${path} must come with ${partner}: got only ${named(path)}`),
  ];
}

function showsBoardsToAnybody(givens: Givens): boolean {
  const http = givens.get("http")?.value;
  if (typeof http !== "string" || !isListenAddress(http) || isLoopback(http)) return false;
  return givens.get("httpPage")?.value !== "off" && !givens.get("httpToken")?.value;
}

/** All problems as one message. */
export function startMessage(problems: readonly string[]): string {
  const [first = "", ...others] = new Set(problems);
  return others.length === 0 ? `Cannot start: ${first}` : ["Cannot start:", first, ...others].join("\n  ");
}

function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`);
  return steps.join("").slice(1) || "the configuration";
}

/** Only its type where it may hold a secret, as it also may where an object was expected (no `kind`). */
function shown(value: unknown, kind: Kind | undefined): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  const isSecret = kind === undefined || kind === "secret" || kind === "path";
  if (isSecret && value !== "" && value !== null) {
    return typeof value === "string" ? "a text" : `a ${typeof value}`;
  }
  return JSON.stringify(kind === "list" && typeof value === "string" ? redactedAddress(value) : value);
}
