/** The signals by which a person, a terminal or a process manager ends this process. */

/** `deno task` hands on the Ctrl-C that the terminal sent to everyone itself: that is one wish to stop, not two. */
const sameWishMs = 1_000;

/** @param heard told first that the process shall stop, and of every later wish that it shall do so at once */
export function onStopSignals(heard: { readonly stop: () => void; readonly stopAtOnce: () => void }): void {
  let firstMs: number | null = null;
  const take = (): void => {
    const nowMs = performance.now();
    if (firstMs === null) {
      firstMs = nowMs;
      heard.stop();
    } else if (nowMs - firstMs >= sameWishMs) heard.stopAtOnce();
  };
  const outlivesTerminal = isHangupIgnored();
  for (const signal of stopSignals(outlivesTerminal)) Deno.addSignalListener(signal, take);
  // With a listener to any of them Deno takes this one, too, and would end the process.
  if (outlivesTerminal) Deno.addSignalListener("SIGHUP", () => {});
}

/** Windows has these three and no other. */
function stopSignals(outlivesTerminal: boolean): readonly Deno.Signal[] {
  if (Deno.build.os === "windows") return ["SIGINT", "SIGBREAK", "SIGHUP"];
  return outlivesTerminal ? ["SIGINT", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP"];
}

/** Whether this process shall outlive its terminal, as with `nohup`; false where that cannot be known. */
export function isHangupIgnored(): boolean {
  const [, ignored = "0"] = /^SigIgn:\s*([\da-f]+)$/m.exec(ownStatus()) ?? [];
  return (BigInt(`0x${ignored}`) & 1n) === 1n;
}

/** Linux tells a process what it ignores; Deno lets only those read it that may do everything, and asks nobody here. */
function ownStatus(): string {
  const path = "/proc/self/status";
  if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return "";
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return "";
    throw error;
  }
}
