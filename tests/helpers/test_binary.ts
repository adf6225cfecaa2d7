import { defaultCacheDir, findServerBinary } from "../../src/private_server/server_binary.ts";

/** The nats-server of the tests: `TASUKI_TEST_NATS_SERVER`, else the one that `serve` finds. */
export async function testBinary(): Promise<string> {
  return Deno.env.get("TASUKI_TEST_NATS_SERVER") ??
    await findServerBinary({ cacheDir: defaultCacheDir(), say: () => {} });
}
