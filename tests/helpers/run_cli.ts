/** Commands of `main.ts`, each as its own process. */
import { fileURLToPath } from "node:url";
import { inheritedEnv } from "./tier.ts";
import { within } from "./within.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped into it; nothing by default. */
  readonly input?: string;
  /** Whether its standard output is closed after the first bytes. */
  readonly stopsReading?: boolean;
}

export interface CliEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs to its end. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
  await using running = startCli(args, options);
  return await within(running.ended, () => `end of ${args.join(" ")}: ${JSON.stringify(running)}`);
}

/** Disposing kills it where it still runs. */
export interface RunningCli extends AsyncDisposable {
  /** What it has printed until now. */
  readonly out: string;
  readonly err: string;
  readonly ended: Promise<CliEnd>;
  /** Resolves when it has printed this. */
  printed(text: string): Promise<void>;
  signal(name: Deno.Signal): void;
}

export function startCli(
  args: readonly string[],
  { env = {}, input, stopsReading = false }: CliOptions = {},
): RunningCli {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "main.ts", ...args],
    cwd: project,
    clearEnv: true,
    env: { ...inheritedEnv(), ...env },
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const texts = { out: "", err: "" };
  let wake = (): void => {};
  const collect = async (stream: ReadableStream<Uint8Array>, name: "out" | "err"): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      texts[name] += text;
      wake();
      if (name === "out" && stopsReading) return;
    }
  };
  let hasEnded = false;
  const ended = Promise.all([
    process.status,
    collect(process.stdout, "out"),
    collect(process.stderr, "err"),
    input === undefined ? null : send(process.stdin, input),
  ]).then(([{ code }]) => {
    hasEnded = true;
    return { code, ...texts };
  });
  return {
    get out() {
      return texts.out;
    },
    get err() {
      return texts.err;
    },
    ended,
    async printed(text) {
      const arrives = async (): Promise<void> => {
        while (!texts.out.includes(text)) await new Promise<void>((resolve) => wake = resolve);
      };
      await within(arrives(), () => `${JSON.stringify(text)} in ${JSON.stringify(texts)}`);
    },
    signal: (name) => process.kill(name),
    async [Symbol.asyncDispose]() {
      if (!hasEnded) process.kill("SIGKILL");
      await ended;
    },
  };
}

async function send(stream: WritableStream<Uint8Array>, input: string): Promise<void> {
  const writer = stream.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
}
