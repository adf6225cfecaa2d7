/** What a process has used so far, by the system's own count. Linux only, as the bench is. */
import process from "node:process";

/** Of this process, in microseconds: less noisy than the clock where others work on the same machine. */
export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The system counts in hundredths of a second. */
const tickMs = 10;

/** Of any process, in milliseconds, in steps of 10. */
export function cpuMsOf(pid: number): number {
  const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything; user and system time are the 12th and 13th field behind it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Resident memory, in megabytes of 1,000,000 bytes. */
export function residentMbOf(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(kib) * 1024 / 1e6;
}
