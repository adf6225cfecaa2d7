/** A Deno program of this project as a process of its own, from the moment it says that it is there. */

export interface StartedProcess extends AsyncDisposable {
  readonly pid: number;
  /** Until it said so, in milliseconds. */
  readonly startMs: number;
  /** What it has written so far. */
  said(): string;
  /** SIGKILL; disposing ends it by SIGTERM. */
  kill(): Promise<void>;
}

export interface ProcessOptions {
  readonly url: string;
  /** What its output has when it may be used. */
  readonly saying: string;
  readonly env?: { readonly [name: string]: string };
}

/** The worker, when it answers. */
export function startWorkerProcess(
  url: string,
  env: { readonly [name: string]: string } = {},
): Promise<StartedProcess> {
  return startProcess("main.ts", ["serve"], { url, saying: '"msg":"leading"', env });
}

/** `BENCH_PROFILE=main.ts` leaves a CPU profile of that program in the folder `prof`. */
export async function startProcess(
  program: string,
  args: readonly string[],
  { url, saying, env = {} }: ProcessOptions,
): Promise<StartedProcess> {
  const profile = Deno.env.get("BENCH_PROFILE") === program ? ["--cpu-prof", "--cpu-prof-dir=prof"] : [];
  const startedMs = performance.now();
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", ...profile, program, ...args],
    env: { NATS_URL: url, TASUKI_HTTP: "off", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let said = "";
  const saidMs = await new Promise<number>((resolve, reject) => {
    const follow = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
      for await (const text of stream.pipeThrough(new TextDecoderStream())) {
        said += text;
        if (said.includes(saying)) resolve(performance.now());
      }
    };
    Promise.all([follow(process.stdout), follow(process.stderr)]).then(() =>
      reject(new Error(`${program} ended: ${said}`))
    );
  });
  let hasEnded = false;
  const end = async (signal: Deno.Signal): Promise<void> => {
    if (!hasEnded) process.kill(signal);
    hasEnded = true;
    await process.status;
  };
  return {
    pid: process.pid,
    startMs: saidMs - startedMs,
    said: () => said,
    kill: () => end("SIGKILL"),
    [Symbol.asyncDispose]: () => end("SIGTERM"),
  };
}
