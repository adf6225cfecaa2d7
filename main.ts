/** Argv → command: the only place where rooms are put together. */
import project from "./deno.json" with { type: "json" };
import { readArgv } from "./src/cli/argv.ts";
import { commands } from "./src/cli/commands.ts";
import { reportFailure } from "./src/cli/failure.ts";
import { helpText } from "./src/cli/help.ts";
import { onStopSignals } from "./src/cli/stop_signals.ts";
import { thisProcess } from "./src/cli/this_process.ts";
import { unlessAborted } from "./src/cli/unless_aborted.ts";
import { loadConfig } from "./src/config/load.ts";
import type { Config } from "./src/config/settings.ts";
import { Subjects } from "./src/log/subjects.ts";
import { createLogger, type Logger, type LogLevel, stderrWriter } from "./src/logger.ts";
import { openLog } from "./src/nats/open_log.ts";
import { openRemote } from "./src/nats/remote.ts";
import { openPrivateServer, requirePrivateServer } from "./src/private_server/private_server.ts";
import { defaultCacheDir, findServerBinary } from "./src/private_server/server_binary.ts";
import { Worker } from "./src/worker/worker.ts";

const stopping = new AbortController();
const stop = stopping.signal;
const write = stderrWriter();
const local = thisProcess(write);
const loggerOf = (level: LogLevel) => createLogger({ level, isTerminal: local.err.isTerminal, write });
const failed = (error: unknown) => reportFailure(error, { stop, write, logger: loggerOf("error") });

/** The exit code. */
async function run(): Promise<number> {
  const asked = readArgv(Deno.args, commands);
  if (asked.wants === "help") await local.out.write(helpText(asked.command, commands));
  if (asked.wants === "version") await local.out.write(`${project.version}\n`);
  if (asked.wants !== "run") return 0;

  const { command, given, flags, problems } = asked;
  const { readTextFileSync: readTextFile } = Deno;
  const sources = { env: Deno.env.toObject(), flags, problems, readTextFile, cwd: Deno.cwd() };
  const { config, warnings } = loadConfig(sources);
  const logger = loggerOf(config.logLevel);
  for (const warning of warnings) logger.warn(warning);
  if (!command.endsOnStop) stop.addEventListener("abort", () => Deno.exit(1));

  const subjects = new Subjects(config.prefix);
  const openHere = async () => {
    const complete = await withServers(config, () => requirePrivateServer(config.dataDir));
    return await openRemote({ config: complete, subjects, logger: loggerOf("error"), name: "tasuki" });
  };
  const serveHere = () => serve(config, subjects, logger);
  const world = { ...local, stop, config, subjects, openRemote: openHere, serve: serveHere };
  return await command.run(world, given);
}

async function serve(config: Config, subjects: Subjects, logger: Logger): Promise<void> {
  const say = (message: string) => logger.info(message);
  const binary = () => findServerBinary({ cacheDir: defaultCacheDir(), say });
  // What only a worker needs, and would keep every other command waiting.
  const { openHttp } = await import("./src/http/server.ts");
  const { telemetryOf } = await import("./src/telemetry/telemetry.ts");
  const { version } = project;
  const untraced = (error: unknown) => logger.warn("an answer has no span", { error });
  const telemetry = telemetryOf(version, Deno.env.get("OTEL_DENO") === "true", untraced);
  await using opened = new AsyncDisposableStack();
  const http = opened.use(openHttp({ config, version, metrics: telemetry.observer, logger }));
  const losing = new AbortController();
  const ending = AbortSignal.any([stop, losing.signal]);
  const complete = await withServers(config, async () => {
    const lost = (error: unknown) => losing.abort(error);
    return opened.use(await openPrivateServer({ dataDir: config.dataDir, binary, say, lost })).url;
  });
  const opening = openLog({ config: complete, subjects, logger, name: "tasuki", waitForServer: true });
  const ports = opened.use(await unlessAborted(ending, opening));
  const worker = new Worker({ ...ports, ...telemetry, logger, subjects, settings: config });
  http.serve({ worker, connection: ports.connection });
  await worker.run(ending);
  losing.signal.throwIfAborted();
}

/** With the address of a private server, where none is configured. */
async function withServers(config: Config, privateUrl: () => Promise<string>): Promise<Config> {
  const { nats } = config;
  return nats.servers.length > 0 ? config : { ...config, nats: { ...nats, servers: [await privateUrl()] } };
}

onStopSignals({ stop: () => stopping.abort(), stopAtOnce: () => Deno.exit(1) });
globalThis.addEventListener("unhandledrejection", ({ reason }) => Deno.exit(failed(reason)));
Deno.exit(await run().catch(failed));
