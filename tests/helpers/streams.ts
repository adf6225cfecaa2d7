/** What other clients do to streams: made by hand, deleted, made again. */
import { type JetStreamManager, type NatsConnection, nuid, type StreamConfig } from "nats";
import { type Server, withConnection } from "./session_log.ts";
import { patiently } from "./within.ts";

export const bucketStream = "KV_TASKS_CHECKPOINT";

export type NamedConfig = Partial<StreamConfig> & { readonly name: string };

export function withManager<T>(server: Server, use: (manager: JetStreamManager) => Promise<T>): Promise<T> {
  return withConnection(
    server,
    async (nc) => await use(await nc.jetstreamManager({ checkAPI: false, ...patiently })),
  );
}

/** As the server keeps it, field by field: with what the client library does not know. */
export async function configOf(server: Server, stream: string): Promise<unknown> {
  return (await infoOf(server, stream)).config;
}

/** The seqs of its first and last message. */
export async function seqsOf(
  server: Server,
  stream = "TASKS",
): Promise<{ readonly firstSeq: number; readonly lastSeq: number }> {
  const { state } = await withManager(server, ({ streams }) => streams.info(stream));
  return { firstSeq: state.first_seq, lastSeq: state.last_seq };
}

/** The stream's creation time, as the server writes it. */
export async function createdOf(server: Server, stream = "TASKS"): Promise<string> {
  return (await infoOf(server, stream)).created;
}

interface Info {
  readonly config: unknown;
  readonly created: string;
}

function infoOf(server: Server, stream: string): Promise<Info> {
  return withConnection(server, async (nc) => await ask(nc, `STREAM.INFO.${stream}`));
}

// deno-lint-ignore no-explicit-any
async function ask(nc: NatsConnection, request: string): Promise<any> {
  return (await nc.request(`$JS.API.${request}`, "", patiently)).json();
}

export async function makeStream(server: Server, config: NamedConfig): Promise<void> {
  await withManager(server, (manager) => manager.streams.add(config));
}

export async function deleteStream(server: Server, stream = "TASKS"): Promise<void> {
  await withManager(server, (manager) => manager.streams.delete(stream));
}

/** Deletes the stream and makes it again, empty; gives its new creation time. */
export async function replaceStream(server: Server, change: Partial<StreamConfig> = {}): Promise<string> {
  return await withManager(server, async ({ streams }) => {
    const { config } = await streams.info("TASKS");
    await streams.delete("TASKS");
    return String((await streams.add({ ...config, ...change })).created);
  });
}

export async function purgeStream(server: Server, stream = "TASKS"): Promise<void> {
  await withManager(server, (manager) => manager.streams.purge(stream));
}

export async function streamNames(server: Server): Promise<readonly string[]> {
  const names = await withManager(server, ({ streams }) => Array.fromAsync(streams.names()));
  return names.filter((name) => !name.startsWith("KV_")).sort();
}

/** How many messages the stream holds on these subjects. */
export async function messageCount(server: Server, subjects: string): Promise<number> {
  const query = { subjects_filter: subjects };
  const { state } = await withManager(server, ({ streams }) => streams.info("TASKS", query));
  return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
}

/** A name that no other test of the file uses. */
export function freshName(): string {
  return `s${nuid.next()}`;
}
