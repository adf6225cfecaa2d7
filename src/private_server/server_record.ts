/**
 * `server.json` in a data folder: which nats-server serves the folder, for the workers that adopt or stop it
 * and for the commands that connect to it. It changes in one step, and is on the disk before it is in place.
 */

import { join } from "node:path";
import { z } from "zod";
import { OperatorError } from "../errors.ts";

const recordSchema = z.object({
  name: z.string(),
  port: z.int().min(1).max(65_535),
  pid: z.int().positive().nullable(),
});

/**
 * `name` is made for one start and is the server's name in its INFO line and among its arguments: by it a
 * process or a port that now belongs to somebody else is told from the server. `port` is one of 127.0.0.1.
 * `pid` is null from before the process is started until just after.
 */
export type ServerRecord = z.infer<typeof recordSchema>;

/**
 * The record of the folder; null where there is none.
 *
 * @throws {OperatorError} when the file is no record
 */
export async function readServerRecord(dataDir: string): Promise<ServerRecord | null> {
  const path = recordPath(dataDir);
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  const record = recordSchema.safeParse(jsonOrNull(text));
  if (record.success) return record.data;
  throw new OperatorError(
    `Cannot read "${path}": it must hold name, port and pid: got ${JSON.stringify(text)}`,
  );
}

/** Synchronous, so that nothing happens between the start of a process and its record. */
export function writeServerRecord(dataDir: string, record: ServerRecord): void {
  const path = recordPath(dataDir);
  const next = `${path}.next`;
  {
    using file = Deno.openSync(next, { write: true, create: true, truncate: true });
    file.writeSync(new TextEncoder().encode(JSON.stringify(record, null, 2) + "\n"));
    file.syncSync();
  }
  Deno.renameSync(next, path);
}

/** Nothing where there is none. */
export async function removeServerRecord(dataDir: string): Promise<void> {
  try {
    await Deno.remove(recordPath(dataDir));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function recordPath(dataDir: string): string {
  return join(dataDir, "server.json");
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
