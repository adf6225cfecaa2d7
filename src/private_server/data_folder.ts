/** The folder of a private server: made so that other users cannot read it and git does not take it. */

import { dirname, join, resolve } from "node:path";
import { OperatorError } from "../errors.ts";

/**
 * The folder's one absolute path, without symbolic links. A folder that is there is left as it is.
 *
 * @throws {OperatorError} when it cannot be made, or is no folder that we may write to
 */
export async function prepareDataFolder(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    if (await makeFolder(path)) await Deno.writeTextFile(join(path, ".gitignore"), "*\n");
    await Deno.remove(await Deno.makeTempFile({ dir: path }));
    return await Deno.realPath(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const rule = "it must be a folder that this user may write to";
    throw new OperatorError(`Cannot use "${path}" for a private nats-server: ${rule}: got "${reason}"`, {
      cause: error,
    });
  }
}

/** The same path for a folder that is there; null where it is not. */
export async function findDataFolder(dataDir: string): Promise<string | null> {
  try {
    return await Deno.realPath(dataDir);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

async function makeFolder(path: string): Promise<boolean> {
  try {
    await Deno.mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}
