/** A Deno program of this project as a process of its own, from the moment it says that it is there. */

/** @param saying what its output has when it may be used */
export async function startProcess(
  program: string,
  args: readonly string[],
  url: string,
  saying: string,
): Promise<AsyncDisposable> {
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-all",
      ...(Deno.env.get("BENCH_PROFILE") === program ? ["--cpu-prof", "--cpu-prof-dir=prof"] : []),
      program,
      ...args,
    ],
    env: { NATS_URL: url, TASUKI_HTTP: "off" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await new Promise<void>((resolve, reject) => {
    const follow = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
      for await (const text of stream.pipeThrough(new TextDecoderStream())) {
        if (text.includes(saying)) resolve();
      }
    };
    Promise.all([follow(process.stdout), follow(process.stderr)]).then(() =>
      reject(new Error(`${program} ended`))
    );
  });
  return {
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      await process.status;
    },
  };
}
