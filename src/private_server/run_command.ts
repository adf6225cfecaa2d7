/** Runs another program to its end, with a limit on its time. */

/** `msMax` is the time the program may take; `cwd` is its folder, by default ours. */
interface RunOptions {
  msMax: number;
  cwd?: string;
}

/**
 * What the program wrote to its standard output.
 *
 * @throws {Error} when it cannot be started, ends with another code than 0 (the message has the last line of
 * its standard error) or takes longer than `msMax`
 */
export async function runCommand(program: string, args: string[], options: RunOptions): Promise<string> {
  const { msMax, ...place } = options;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), msMax);
  try {
    const { success, code, stdout, stderr } = await new Deno.Command(program, {
      ...place,
      args,
      env: { LC_ALL: "C" },
      stdin: "null",
      signal: limit.signal,
    }).output();
    if (success) return decode(stdout);
    if (limit.signal.aborted) throw failed(program, args, `end within ${msMax} ms`, "no end");
    throw failed(program, args, "end with 0", `exit code ${code}, ${lastLine(decode(stderr))}`);
  } finally {
    clearTimeout(timer);
  }
}

function failed(program: string, args: string[], rule: string, got: string): Error {
  return new Error(`Cannot run ${program} ${args[0] ?? ""}: it must ${rule}: got ${got}`);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
