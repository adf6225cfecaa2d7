/** A folder for the private servers of one test. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { runningServer } from "../../src/private_server/server_launch.ts";
import { endProcess } from "../../src/private_server/server_process.ts";
import { within } from "./within.ts";

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
      await untilEndsAreNoticed();
      await Deno.remove(parent, { recursive: true });
    },
  };
}

/** A server of ours that has ended is a leak of its test until Deno has noticed, which may take it a moment. */
async function untilEndsAreNoticed(): Promise<void> {
  if (Deno.build.os !== "linux") return;
  const waiting = async (): Promise<void> => {
    while (await hasEndedChild()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await within(waiting(), "the end of a server is noticed");
}

/** Whether a server that this process started has ended and waits for it to notice. */
async function hasEndedChild(): Promise<boolean> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const states = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")));
  return states.some((state) => state.includes(`(nats-server) Z ${Deno.pid} `));
}
