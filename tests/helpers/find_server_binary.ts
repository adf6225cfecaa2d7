/**
 * Finds a nats-server with the environment that it is given.
 * Usage: find_server_binary.ts <cache folder>. It prints the path, else an error's name and message, in one
 * line; what is said on the way goes to the standard error.
 */

import { findServerBinary } from "../../src/private_server/server_binary.ts";

const [cacheDir = ""] = Deno.args;
const write = (to: typeof Deno.stdout, line: string) => to.writeSync(new TextEncoder().encode(`${line}\n`));

try {
  write(Deno.stdout, await findServerBinary({ cacheDir, say: (message) => write(Deno.stderr, message) }));
} catch (error) {
  write(Deno.stdout, String(error));
}
