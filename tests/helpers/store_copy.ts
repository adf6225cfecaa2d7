/** A server's folder of streams, copied and put back: a backup that somebody restores. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import type { TestServer } from "./test_server.ts";

/** What of the folder is put back: everything, the log, or the checkpoint bucket. */
export type Part = "everything" | "log" | "bucket";

const folders: { readonly [part in Part]: string } = {
  everything: "",
  log: join("jetstream", "$G", "streams", "TASKS"),
  bucket: join("jetstream", "$G", "streams", "KV_TASKS_CHECKPOINT"),
};

/** Disposing removes it. */
export interface StoreCopy extends AsyncDisposable {
  /** The server is stopped, and runs on with what was copied. */
  putBack(part?: Part): Promise<void>;
}

/** The server is stopped meanwhile, and runs on. */
export async function copyStore(server: TestServer): Promise<StoreCopy> {
  const copy = await Deno.makeTempDir({ prefix: "tasuki-test-copy-" });
  await server.stop();
  await cp(server.storeDir, copy, { recursive: true });
  await server.start();
  return {
    async putBack(part = "everything") {
      const folder = join(server.storeDir, folders[part]);
      await server.stop();
      await Deno.remove(folder, { recursive: true });
      await cp(join(copy, folders[part]), folder, { recursive: true });
      await server.start();
    },
    [Symbol.asyncDispose]: () => Deno.remove(copy, { recursive: true }),
  };
}
