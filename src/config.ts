/**
 * The configuration. One table says of each setting its rule, default and description, and the names of its
 * environment variable and flag follow from it. File, environment and flags are read, later ones win, and
 * every problem is reported at once. No message shows a secret.
 */

import { parse } from "@std/jsonc";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { UsageError } from "./errors.ts";
import { logLevels } from "./logger.ts";

/** How the text of a variable or a flag is read. A message never shows the value of a secret or of a path. */
type Kind = "text" | "secret" | "path" | "number" | "list" | "switch";

/** Where these do not follow from the setting's path. */
interface GivenNames {
  readonly env?: string;
  readonly flag?: string;
}

/** What the schema cannot say, keyed by the field's schema. */
const notes = z.registry<GivenNames & { readonly kind: Kind; readonly description: string }>();

function setting<S extends z.ZodType>(kind: Kind, description: string, schema: S, names: GivenNames = {}): S {
  notes.add(schema, { kind, description, ...names });
  return schema;
}

function matching(pattern: RegExp, rule: string) {
  return z.string(rule).regex(pattern, rule);
}

function oneOf<const Values extends readonly (string | number)[]>(...values: Values) {
  const list = new Intl.ListFormat("en-GB", { type: "disjunction" });
  return z.literal(values, `must be ${list.format(values.map((value) => JSON.stringify(value)))}`);
}

function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z.int(rule).min(min, rule).max(max, rule);
}

const objectRule = "must be an object";
const addressRule = "must be a nats:// or tls:// address";
const loginRule = `${addressRule}, with what is before the @ percent-encoded`;
const pathRule = "must be a path, not the content of a file";

const text = z.string("must be a text").min(1, "must not be empty");
const name = matching(/^[\w-]+$/, "must be a name of A-Z, a-z, 0-9, _ and -");
const subject = matching(/^[\w-]+(\.[\w-]+)*$/, "must be tokens of A-Z, a-z, 0-9, _ and - with dots between");
const path = z.string(pathRule).refine(isPath, pathRule);
const address = z.string(addressRule).transform((text, context) => {
  const whole = wholeAddress(text);
  const message = text.includes("@") ? loginRule : addressRule;
  if (whole === undefined) context.addIssue({ code: "custom", message, input: text });
  return whole ?? z.NEVER;
});
const addresses = z.array(address, "must be a list of addresses").readonly();
const httpOff = z.literal("off", 'must be "off", as this version has no HTTP yet');

const tlsSchema = z.strictObject({
  ca: setting("path", "certificates of the authorities that may vouch for a server", path.exactOptional()),
  cert: setting("path", "certificate that the client shows", path.exactOptional()),
  key: setting("path", "key of that certificate", path.exactOptional()),
}, objectRule);

const natsSchema = z.strictObject({
  servers: setting(
    "list",
    "addresses, comma separated; where there is none, a private nats-server is started",
    addresses.default([]),
    { env: "NATS_URL", flag: "--nats-url" },
  ),
  creds: setting("path", "credentials file to log in with", path.exactOptional()),
  nkey: setting("path", "file with the seed of the nkey to log in with", path.exactOptional()),
  user: setting("text", "user to log in as", text.exactOptional()),
  password: setting("secret", "password of that user", text.exactOptional()),
  token: setting("secret", "token to log in with", text.exactOptional()),
  tls: tlsSchema.readonly().exactOptional(),
}, objectRule);

const configSchema = z.strictObject({
  nats: natsSchema.readonly().prefault({}),
  prefix: setting("text", "first tokens of every subject", subject.default("tasks")),
  stream: setting("text", "stream that holds the log", name.default("TASKS")),
  bucket: setting("text", "bucket that holds the checkpoint", name.default("TASKS_CHECKPOINT")),
  dataDir: setting(
    "path",
    "folder of the private nats-server",
    path.default(".tasuki"),
    { env: "TASUKI_DATA", flag: "--data" },
  ),
  http: setting("text", 'where HTTP is served; this version knows "off" only', httpOff.default("off")),
  replicas: setting(
    "number",
    "copies of the stream and the bucket, when created",
    oneOf(1, 3, 5).default(1),
  ),
  duplicateWindowMs: setting(
    "number",
    "milliseconds for which the stream remembers a message id, when created",
    wholeNumber(1_000, 604_800_000).default(120_000),
  ),
  compression: setting(
    "text",
    "compression of the stream, when created",
    oneOf("none", "s2").default("none"),
  ),
  replies: setting(
    "text",
    'where replies may go: any inbox, or with "pod" below _INBOX.<pod> only',
    oneOf("inbox", "pod").default("inbox"),
  ),
  logLevel: setting("text", "least severe level that is logged", oneOf(...logLevels).default("info")),
  inFlightMax: setting(
    "number",
    "outputs published and not acknowledged",
    wholeNumber(1, 10_000).default(1_024),
  ),
  podsInMemoryMax: setting(
    "number",
    "pods that stay in memory although they are idle",
    wholeNumber(0, 1_000_000).default(10_000),
  ),
  checkpointInputs: setting(
    "number",
    "inputs after which a checkpoint is written",
    wholeNumber(1, 1_000_000).default(1_000),
  ),
  checkpointEveryMs: setting(
    "number",
    "milliseconds after which a checkpoint is written, where there is something to save",
    wholeNumber(100, 3_600_000).default(10_000),
  ),
  keepAgeMs: setting(
    "number",
    "milliseconds that the log is kept at least; 0 for ever",
    wholeNumber(0, 315_360_000_000).default(0),
  ),
  keepMessages: setting(
    "number",
    "last messages of the log that are kept at least; 0 for all",
    wholeNumber(0, 1_000_000_000).default(0),
  ),
  acceptLoss: setting(
    "switch",
    "go on although the log has lost messages",
    z.boolean("must be true or false").default(false),
  ),
}, objectRule).readonly();

/**
 * Paths are absolute. `nats.servers` have the form `nats://host:port` or `tls://host:port`, their credentials
 * are in `user` and `password` or in `token`; there are none where a private nats-server is to be started.
 */
export type Config = z.output<typeof configSchema>;

/** What `--help` says of a setting. `env` and `flag` are whole names; `path` is the setting's in the file. */
export interface Setting {
  readonly path: string;
  readonly env: string;
  readonly flag: string;
  readonly kind: Kind;
  readonly description: string;
  readonly defaultText: string;
}

/** Where the file is named: a setting, but none of the file. */
export const configFileSetting: Omit<Setting, "path"> = {
  env: "TASUKI_CONFIG",
  flag: "--config",
  kind: "path",
  description: "configuration file, which then must exist",
  defaultText: "tasuki.jsonc",
};

/** Every setting there is, in the order of the schema, those of NATS first. */
export const settings: readonly Setting[] = [
  ...settingsOf(natsSchema, "nats."),
  ...settingsOf(tlsSchema, "nats.tls."),
  ...settingsOf(configSchema.unwrap(), ""),
];

function settingsOf(schema: z.ZodObject, parent: string): Setting[] {
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const note = notes.get(field);
    if (note === undefined) return [];
    const path = `${parent}${key}`;
    const words = path.replaceAll(/(?=[A-Z])|\./g, "-").toLowerCase();
    const names = { env: `TASUKI_${words.replaceAll("-", "_").toUpperCase()}`, flag: `--${words}` };
    return [{ path, ...names, ...note, defaultText: defaultText(path) }];
  });
}

function defaultText(path: string): string {
  const value = valueAt(configSchema.parse({}), path);
  return value === undefined || Array.isArray(value) ? "none" : String(value);
}

/** The `options` by which `parseArgs` of `node:util` knows the flags of {@link settings} and `--config`. */
export function configFlags(): Record<string, { type: "string" | "boolean" }> {
  return Object.fromEntries([configFileSetting, ...settings].map(({ flag, kind }) => {
    const type = kind === "switch" ? "boolean" : "string";
    return [optionOf(flag), { type }] as const;
  }));
}

function optionOf(flag: string): string {
  return flag.slice("--".length);
}

export interface ConfigSources {
  /** An empty variable counts as none. */
  readonly env: Readonly<Record<string, string>>;
  /** Keyed as {@link configFlags} is, without dashes; other keys are left alone. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  /** Throws an error with the name `NotFound` where there is no such file. */
  readonly readTextFile: (path: string) => string;
  /** Absolute. */
  readonly cwd: string;
}

/** A value before it is checked, and what a message calls the place it came from. */
interface Given {
  readonly value: unknown;
  readonly origin: string;
}

/** What was given, keyed by the setting's path. */
type Givens = Map<string, Given>;

/**
 * Checks what file, environment and flags say. Paths in the file are relative to its folder, others to `cwd`.
 * A warning names a `TASUKI_…` variable that is no setting: Kubernetes makes up such names.
 *
 * @throws {UsageError} that lists every problem, each with the setting's path, its rule, the value unless it
 * may be secret, and the file, variable or flag that it came from
 */
export function loadConfig(sources: ConfigSources): { config: Config; warnings: string[] } {
  const { env, flags, cwd } = sources;
  const file = readConfigFile(sources);
  const givens: Givens = new Map([
    ...givensOfFile(file),
    ...givensOfTexts(cwd, (setting) => ({ text: env[setting.env] || undefined, origin: setting.env })),
    ...givensOfTexts(
      cwd,
      (setting) => ({ text: textOf(flags[optionOf(setting.flag)]), origin: setting.flag }),
    ),
  ]);
  const contradictions = moveLogins(givens);

  let draft = file.content;
  for (const [path, { value }] of givens) draft = withValue(draft, path.split("."), value);
  const result = configSchema.safeParse(draft, { reportInput: true });
  const problems = [
    ...file.problems,
    ...contradictions,
    ...(result.error?.issues ?? []).flatMap((issue) => problemsOf(issue, givens, file.name)),
    ...badCombinations(givens),
  ];
  if (!result.success || problems.length > 0) throw new UsageError(startMessage(problems));
  const config = { ...result.data, dataDir: resolve(sources.cwd, result.data.dataDir) };
  return { config, warnings: unknownVariables(sources.env) };
}

/** A flag's text; that of a switch is "true". */
function textOf(flag: string | boolean | undefined): string | undefined {
  return flag === undefined ? undefined : String(flag);
}

interface ConfigFile {
  /** As it was given. */
  readonly name: string;
  readonly folder: string;
  /** Not checked yet; an empty object where there is no file, or none that can be read. */
  readonly content: unknown;
  readonly problems: readonly string[];
}

function readConfigFile({ env, flags, readTextFile, cwd }: ConfigSources): ConfigFile {
  const named = textOf(flags[optionOf(configFileSetting.flag)]) ?? (env[configFileSetting.env] || undefined);
  const name = named ?? configFileSetting.defaultText;
  const place = resolve(cwd, name);
  const file = { name, folder: dirname(place), content: {}, problems: [] };
  try {
    return { ...file, content: parse(readTextFile(place)) };
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

function givensOfFile({ name, folder, content }: ConfigFile): [path: string, Given][] {
  return settings.flatMap(({ path, kind }) => {
    const value = valueAt(content, path);
    if (value === undefined) return [];
    return [[path, { value: kind === "path" ? absolute(value, folder) : value, origin: name }]];
  });
}

function givensOfTexts(
  cwd: string,
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

function absolute(value: unknown, folder: string): unknown {
  return typeof value === "string" && isPath(value) ? resolve(folder, value) : value;
}

/** No path are an empty text, several lines (a credentials file, a certificate) and the seed of an nkey. */
function isPath(text: string): boolean {
  return text !== "" && !/[\r\n]|^S[A-Z]{1,2}[A-Z2-7]{50,}$/.test(text);
}

/** With scheme and port; undefined where `text` is no address. A number alone is a mistake, not a host. */
function wholeAddress(text: string): string | undefined {
  const pattern =
    /^(?:(nats|tls):\/\/)?((?!\d+(?::|\/|$))[\w-]+(?:\.[\w-]+)*\.?|\[[\da-f:.]+\])(?::(\d+))?\/?$/i;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, scheme = "nats", host, port = "4222"] = match;
  return Number(port) > 0 && Number(port) <= 65_535 ? `${scheme.toLowerCase()}://${host}:${port}` : undefined;
}

/** Moves the credentials in the addresses to the settings that they stand for; returns what contradicts. */
function moveLogins(givens: Givens): string[] {
  const servers = givens.get("nats.servers");
  if (servers === undefined || !Array.isArray(servers.value)) return [];
  const { origin } = servers;
  const split = servers.value.map(splitLogin);
  givens.set("nats.servers", { value: split.map(({ address }) => address), origin });
  return split.flatMap(({ login }) => login).flatMap(([path, value]) => {
    const other = givens.get(path);
    if (other !== undefined && other.value !== value) {
      return [`${path} must be given once: got another one in nats.servers (${origin})`];
    }
    givens.set(path, other ?? { value, origin });
    return [];
  });
}

/** An address whose credentials cannot be read keeps them, for the schema to refuse. */
function splitLogin(server: unknown): { address: unknown; login: [path: string, value: string][] } {
  const whole = { address: server, login: [] };
  if (typeof server !== "string") return whole;
  const match = /^((?:nats|tls):\/\/)?([^/:]*)(?::([^/]*))?@([^@]*)$/i.exec(server);
  if (match === null) return whole;
  const [, scheme = "", first = "", password, host = ""] = match;
  const encoded = password === undefined
    ? { "nats.token": first }
    : { "nats.user": first, "nats.password": password };
  try {
    const paths = Object.entries(encoded);
    return {
      address: `${scheme}${host}`,
      login: paths.map(([path, text]) => [path, decodeURIComponent(text)]),
    };
  } catch (error) {
    if (error instanceof URIError) return whole;
    throw error;
  }
}

function badCombinations(givens: Givens): string[] {
  const named = (path: string) => `${path} (${givens.get(path)?.origin})`;
  const logins = ["nats.creds", "nats.nkey", "nats.user", "nats.token"].filter((path) => givens.has(path));
  const pairs = [["nats.user", "nats.password"], ["nats.tls.cert", "nats.tls.key"]] as const;
  return [
    ...(logins.length > 1
      ? [`nats must have one way to log in: got ${logins.map(named).join(" and ")}`]
      : []),
    ...pairs.flatMap(([one, other]) => [[one, other], [other, one]] as const)
      .filter(([path, partner]) => givens.has(path) && !givens.has(partner))
      .map(([path, partner]) => `${path} must come with ${partner}: got only ${named(path)}`),
  ];
}

function problemsOf(issue: z.core.$ZodIssue, givens: Givens, fileName: string): string[] {
  if (issue.code === "unrecognized_keys") {
    const paths = issue.keys.map((key) => pathText([...issue.path, key]));
    return paths.map((path) => `${path} must be the name of a setting: got an unknown one (${fileName})`);
  }
  const path = issue.path.filter((key) => typeof key === "string").join(".");
  const kind = settings.find((setting) => setting.path === path)?.kind;
  const origin = givens.get(path)?.origin ?? fileName;
  return [`${pathText(issue.path)} ${issue.message}: got ${shown(issue.input, kind)} (${origin})`];
}

function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`);
  return steps.join("").slice(1) || "the configuration";
}

/** Only its type where it may hold a secret, as it also may where an object was expected (no `kind`). */
function shown(value: unknown, kind: Kind | undefined): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  const isShown = kind === "text" || kind === "number" || kind === "list" || value === "" || value === null;
  if (!isShown) return typeof value === "string" ? "a text" : `a ${typeof value}`;
  return JSON.stringify(kind === "list" && typeof value === "string" ? redactedAddress(value) : value);
}

/** Scheme, host and port as far as they are any; the rest may be a password. */
function redactedAddress(text: string): string {
  const match = /^(\w+:\/\/)?(.*@)?([\w.-]*(?::\d{1,5}\/?$)?)(.*)$/s.exec(text);
  const [, scheme = "", login = "", host = "", rest = ""] = match ?? [];
  return `${scheme}${login && "…@"}${host}${rest && "…"}`;
}

function startMessage(problems: readonly string[]): string {
  const [first = "", ...others] = new Set(problems);
  return others.length === 0 ? `Cannot start: ${first}` : ["Cannot start:", first, ...others].join("\n  ");
}

function unknownVariables(env: Readonly<Record<string, string>>): string[] {
  const known = new Set([configFileSetting, ...settings].map((setting) => setting.env));
  return Object.keys(env).filter((name) => name.startsWith("TASUKI_") && !known.has(name)).sort()
    .map((name) => `Ignoring ${name}: no setting has this name`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueAt(root: unknown, path: string): unknown {
  return path.split(".").reduce((value, key) => isObject(value) ? value[key] : undefined, root);
}

/** A copy. What should be an object and is none stays, for the schema to refuse. */
function withValue(root: unknown, [key, ...keys]: string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (root === undefined) return { [key]: withValue(undefined, keys, value) };
  return isObject(root) ? { ...root, [key]: withValue(root[key], keys, value) } : root;
}
