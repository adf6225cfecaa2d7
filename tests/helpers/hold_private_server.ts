/**
 * A process that holds the private server of a folder, as a worker does, until its standard input ends.
 * Usage: hold_private_server.ts <folder>. It prints what it got in a line of JSON.
 */

import { openPrivateServer } from "../../src/private_server/private_server.ts";
import { testBinary } from "./test_binary.ts";

const [dataDir = ""] = Deno.args;
const lost = (error: unknown) => {
  throw error;
};
await using server = await openPrivateServer({ dataDir, binary: testBinary, say: () => {}, lost });
const answer = JSON.stringify({ url: server.url, isAdopted: server.isAdopted }) + "\n";
await Deno.stdout.write(new TextEncoder().encode(answer));
for await (const _ of Deno.stdin.readable);
