/** A stream's snapshot, taken from one server and restored on another over JetStream's API (NATS ADR-2, as `nats stream backup` does). */
import type { NatsConnection } from "nats";
import { patiently } from "./within.ts";

export interface Backup {
  readonly name: string;
  /** What the server has to be told again. */
  readonly config: unknown;
  readonly state: unknown;
  readonly chunks: readonly Uint8Array[];
}

async function ask(
  nc: NatsConnection,
  subject: string,
  request: unknown,
): Promise<{ readonly [name: string]: unknown }> {
  const answer = (await nc.request(subject, JSON.stringify(request), patiently)).json<
    { error?: { description: string } }
  >();
  if (answer.error) throw new Error(`${subject}: ${answer.error.description}`);
  return { ...answer };
}

export async function takeBackup(nc: NatsConnection, name: string): Promise<Backup> {
  const inbox = `_INBOX.backup.${crypto.randomUUID()}`;
  const arriving = nc.subscribe(inbox);
  const request = { deliver_subject: inbox, no_consumers: true, chunk_size: 64 * 1024 };
  const { config, state } = await ask(nc, `$JS.API.STREAM.SNAPSHOT.${name}`, request);
  const chunks: Uint8Array[] = [];
  for await (const message of arriving) {
    if (message.data.length === 0) break;
    chunks.push(message.data);
    message.respond();
  }
  return { name, config, state, chunks };
}

export async function restoreBackup(
  nc: NatsConnection,
  { name, config, state, chunks }: Backup,
): Promise<void> {
  const { deliver_subject } = await ask(nc, `$JS.API.STREAM.RESTORE.${name}`, { config, state });
  for (const chunk of chunks) await nc.request(String(deliver_subject), chunk, patiently);
  await nc.request(String(deliver_subject), "", patiently);
}
