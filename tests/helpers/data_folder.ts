/** A folder for the private servers of one test. */

import { join } from "node:path";
import { runningServer } from "../../src/private_server/server_launch.ts";
import { endProcess } from "../../src/private_server/server_process.ts";

/** `path` is missing at first. Disposing ends the server that a test left there, and removes the folder. */
export interface DataFolder extends AsyncDisposable {
  readonly path: string;
  /** The temporary folder around it. */
  readonly parent: string;
}

/** `name` is what the data folder is called in its parent. */
export async function makeDataFolder(name = "data"): Promise<DataFolder> {
  const parent = await Deno.realPath(await Deno.makeTempDir({ prefix: "tasuki-test-data-" }));
  const path = join(parent, name);
  return {
    path,
    parent,
    async [Symbol.asyncDispose]() {
      const server = await runningServer(path);
      if (server !== null) await endProcess(server);
      await Deno.remove(parent, { recursive: true });
    },
  };
}
