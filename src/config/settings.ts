/**
 * Every setting there is: its rule, default and description in one table, from which the names of its environment
 * variable and flag follow.
 */
import { z } from "zod";
import { defaultListenAddress } from "./addresses.ts";
import { logLevels } from "../logger.ts";
import { valueAt } from "./nested.ts";
import {
  addresses,
  listenAddressOrOff,
  name,
  objectRule,
  oneOf,
  path,
  subject,
  text,
  wholeNumber,
  yesOrNo,
} from "./rules.ts";

/** How the text of a variable or a flag is read. A message never shows the value of a secret or of a path. */
export type Kind = "text" | "secret" | "path" | "number" | "list" | "switch";

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

const ownSchema = z.strictObject({
  nats: natsSchema.readonly().prefault({}),
  prefix: setting("text", "first tokens of every subject", subject.default("tasks")),
  stream: setting("text", "stream that holds the log", name.default("TASKS")),
  bucket: setting(
    "text",
    "bucket that holds the checkpoint; by default the stream's name and _CHECKPOINT",
    name.exactOptional(),
  ),
  dataDir: setting(
    "path",
    "folder of the private nats-server",
    path.default(".tasuki"),
    { env: "TASUKI_DATA", flag: "--data" },
  ),
  http: setting(
    "text",
    'where HTTP is served, as host:port, or "off"',
    listenAddressOrOff.default(defaultListenAddress),
  ),
  httpPage: setting("text", "whether the page with the boards is served", oneOf("on", "off").default("on")),
  httpToken: setting(
    "secret",
    "token that the page needs; it must have one where HTTP is served beyond loopback",
    text.exactOptional(),
  ),
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
    wholeNumber(1, 1_000_000).default(50_000),
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
  acceptLoss: setting("switch", "go on although the log has lost messages", yesOrNo.default(false)),
}, objectRule);

/** What a whole configuration must be. A bucket belongs to one stream, as its lease does: it is named after that. */
export const configSchema = ownSchema
  .transform((own) => ({ ...own, bucket: own.bucket ?? `${own.stream}_CHECKPOINT` }))
  .readonly();

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
  ...settingsOf(ownSchema, ""),
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

/** What `parseArgs` calls a flag: without dashes. */
export function optionOf(flag: string): string {
  return flag.slice("--".length);
}
