/** Argv → command. The only place that constructs things. */
import { parseArgs } from "node:util";
import { configFlags, loadConfig } from "./src/config.ts";
import { OperatorError, UsageError } from "./src/errors.ts";
import { createLogger, stderrWriter } from "./src/logger.ts";
import { Subjects } from "./src/log/subjects.ts";
import { openLog } from "./src/nats/open_log.ts";
import { openPrivateServer } from "./src/private_server/private_server.ts";
import { defaultCacheDir, findServerBinary } from "./src/private_server/server_binary.ts";
import { Worker } from "./src/worker/worker.ts";

async function serve(): Promise<void> {
  const { values } = parseArgs({ args: Deno.args, options: configFlags(), allowPositionals: true });
  const { config, warnings } = loadConfig({ env: Deno.env.toObject(), flags: values as Record<string, string>, readTextFile: Deno.readTextFileSync, cwd: Deno.cwd() });
  const logger = createLogger({ level: config.logLevel, isTerminal: Deno.stderr.isTerminal(), write: stderrWriter() });
  for (const w of warnings) logger.warn(w);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => stop.abort());
  const say = (m: string) => logger.info(m);
  await using stack = new AsyncDisposableStack();
  let servers = config.nats.servers;
  if (servers.length === 0) {
    const server = stack.use(await openPrivateServer({ dataDir: config.dataDir, binary: () => findServerBinary({ cacheDir: defaultCacheDir(), say }), say }));
    servers = [server.url];
  }
  const subjects = new Subjects(config.prefix);
  const opened = stack.use(await openLog({ config: { ...config, nats: { ...config.nats, servers } }, subjects, logger, name: "tasuki", waitForServer: true }));
  const worker = new Worker({ ...opened, logger, subjects, settings: config });
  await worker.run(stop.signal);
  logger.info("stopped");
}
try { await serve(); } catch (e) {
  if (e instanceof UsageError || e instanceof OperatorError) { console.error(e.message); Deno.exit(e instanceof UsageError ? 2 : 1); }
  throw e;
}
Deno.exit(0);
