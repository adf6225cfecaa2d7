/** Another worker, in a process of its own, that holds the private server of a folder. */

import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("hold_private_server.ts", import.meta.url));

/** Disposing kills it where it still runs. */
export interface PrivateServerHolder extends AsyncDisposable {
  readonly url: string;
  readonly isAdopted: boolean;
  /** Ends it as a worker ends: it gives the server up first. */
  leave(): Promise<void>;
  /** Sends the signal to its whole process group, as a terminal does, and waits for its end. */
  signalGroup(signal: Deno.Signal): Promise<void>;
}

/** Resolves when it has the server. `cwd` is what a relative `dataDir` starts from. */
export async function holdPrivateServer(dataDir: string, cwd = Deno.cwd()): Promise<PrivateServerHolder> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--quiet", script, dataDir],
    cwd,
    detached: true,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const output = process.stdout.getReader();
  const { value } = await output.read();
  const { url, isAdopted } = JSON.parse(new TextDecoder().decode(value));
  let hasEnded = false;
  const end = async (how: () => void | Promise<void>) => {
    if (hasEnded) return;
    hasEnded = true;
    await how();
    await process.status;
    await output.cancel();
  };
  const signalGroup = (signal: Deno.Signal) =>
    end(async () => {
      Deno.kill(-process.pid, signal);
      await process.stdin.abort();
    });
  return {
    url,
    isAdopted,
    leave: () => end(() => process.stdin.close()),
    signalGroup,
    [Symbol.asyncDispose]: () => signalGroup("SIGKILL"),
  };
}
