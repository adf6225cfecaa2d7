/** Processes that stand still for a while: their connections stay open, and they answer nobody. */
import { within } from "./within.ts";

const pollMs = 1;

/**
 * SIGSTOP. Resolves when none of its threads runs: on a busy machine one may go on for a moment, and what it does then
 * a test would take for the work of a process that stands still.
 */
export async function pauseProcess(process: Deno.ChildProcess): Promise<void> {
  process.kill("SIGSTOP");
  await whenStandingStill(process.pid);
}

/** For a process that was stopped by its number, as {@link pauseProcess} waits. */
export async function whenStandingStill(pid: number): Promise<void> {
  if (Deno.build.os !== "linux") return;
  await within(untilStopped(pid), `process ${pid} to stand still`);
}

async function untilStopped(pid: number): Promise<void> {
  while (!(await threadStates(pid)).every((state) => state === "T")) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** One letter each, see proc_pid_stat(5); none for a thread that has just ended: the next look does not find it. */
async function threadStates(pid: number): Promise<readonly (string | undefined)[]> {
  const threads = await Array.fromAsync(Deno.readDir(`/proc/${pid}/task`));
  return await Promise.all(threads.map(async ({ name }) => {
    const stat = await Deno.readTextFile(`/proc/${pid}/task/${name}/stat`).catch(() => "");
    return stat.slice(stat.lastIndexOf(")") + 2)[0];
  }));
}
