/** A process that may be another worker's child, or nobody's: whether it is there, and how it is ended. */

import { readFile } from "node:fs/promises";

const pollMs = 20;
const terminateMsMax = 5_000;

/** `marks`: what is among the arguments of this process, and of no other that gets its number later. */
export interface MarkedProcess {
  pid: number;
  marks: string[];
}

/** Whether it runs. One that has ended and waits for its parent to notice does not. */
export async function isRunning({ pid, marks }: MarkedProcess): Promise<boolean> {
  const line = Deno.build.os === "linux" ? await procArguments(pid) : await psArguments(pid);
  return marks.every((mark) => line.includes(mark));
}

/** SIGTERM, and SIGKILL where that did not end it within five seconds; nothing where it does not run. */
export async function endProcess(target: MarkedProcess): Promise<void> {
  if (await endsAfter(target, "SIGTERM", terminateMsMax)) return;
  await endsAfter(target, "SIGKILL", Infinity);
}

async function endsAfter(target: MarkedProcess, signal: Deno.Signal, msMax: number): Promise<boolean> {
  const deadline = performance.now() + msMax;
  if (await isRunning(target)) send(target.pid, signal);
  while (await isRunning(target)) {
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return true;
}

function send(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch (error) {
    // It ended since we looked.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Its arguments, with a NUL after each; empty where there is no such process. */
async function procArguments(pid: number): Promise<string> {
  try {
    // Node's function, for Deno's own has no code for ESRCH: a process that ends while it is read.
    return await readFile(`/proc/${pid}/cmdline`, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) {
      return "";
    }
    throw error;
  }
}

/** Its arguments, with a space between them; empty where there is no such process. */
async function psArguments(pid: number): Promise<string> {
  const ps = new Deno.Command("ps", { args: ["-ww", "-o", "args=", "-p", String(pid)], stdin: "null" });
  return new TextDecoder().decode((await ps.output()).stdout);
}
