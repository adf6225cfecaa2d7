/** The configuration of a worker that runs in `/cwd`, loaded from what a test gives. */
import { assertThrows } from "@std/assert";
import { loadConfig } from "../../src/config/load.ts";
import type { Config } from "../../src/config/settings.ts";
import type { ConfigSources } from "../../src/config/sources.ts";
import { UsageError } from "../../src/errors.ts";

export interface GivenSources {
  readonly env?: Record<string, string>;
  readonly flags?: Record<string, string | boolean | undefined>;
  /** Texts by absolute path. */
  readonly files?: Record<string, string>;
}

export function sources({ env = {}, flags = {}, files = {} }: GivenSources): ConfigSources {
  const readTextFile = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Deno.errors.NotFound(`no ${path}`);
    return text;
  };
  return { env, flags, problems: [], readTextFile, cwd: "/cwd" };
}

export function load(given: GivenSources): Config {
  return loadConfig(sources(given)).config;
}

/** The `tasuki.jsonc` of the working directory. */
export function file(content: unknown): Record<string, string> {
  return { "/cwd/tasuki.jsonc": JSON.stringify(content) };
}

/** The problems, in the order of the message. */
export function problems(given: GivenSources): string[] {
  const { message } = assertThrows(() => load(given), UsageError);
  const [head, ...lines] = message.split("\n  ");
  return lines.length > 0 ? lines : [head?.replace("Cannot start: ", "") ?? ""];
}

export const defaults = {
  nats: { servers: [] },
  prefix: "tasks",
  stream: "TASKS",
  bucket: "TASKS_CHECKPOINT",
  dataDir: "/cwd/.tasuki",
  http: "127.0.0.1:8642",
  httpPage: "on",
  replicas: 1,
  duplicateWindowMs: 120_000,
  compression: "none",
  replies: "inbox",
  logLevel: "info",
  inFlightMax: 1_024,
  podsInMemoryMax: 10_000,
  checkpointInputs: 50_000,
  checkpointEveryMs: 10_000,
  keepAgeMs: 0,
  keepMessages: 0,
  acceptLoss: false,
} as const satisfies Config;
