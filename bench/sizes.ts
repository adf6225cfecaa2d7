/** How much is measured: with `--small` every program is quick, to see that it works; its numbers mean nothing. */

export function sized(full: number, small: number): number {
  return Deno.args.includes("--small") ? small : full;
}
