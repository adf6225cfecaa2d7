/** What a run of the tests tells every test (see `tests/run_tiers.ts`). */

const podsInMemoryMaxName = "TEST_PODS_IN_MEMORY_MAX";
/** Longer than a worker takes to save an idle pod and to drop it. */
const leavingMs = 80;
const pollMs = 3;

/** The settings of every worker of this tier, as its environment. */
export function tierEnv(): { readonly [name: string]: string } {
  const max = Deno.env.get(podsInMemoryMaxName);
  return max === undefined ? {} : { TASUKI_PODS_IN_MEMORY_MAX: max };
}

/** What a command or a worker of a test inherits: nothing that is a setting of Tasuki. */
export function inheritedEnv(): { readonly [name: string]: string } {
  const all = Object.entries(Deno.env.toObject());
  return Object.fromEntries(all.filter(([name]) => name !== "NATS_URL" && !name.startsWith("TASUKI_")));
}

/** How many pods each worker that runs has in memory, as far as one can see. */
const podCounts = new Set<() => number>();

/** Has the tests wait for the pods of this worker, too, until it has ended. */
export function watchIdlePods(podsInMemory: () => number, ended: Promise<unknown>): void {
  podCounts.add(podsInMemory);
  const forget = (): void => void podCounts.delete(podsInMemory);
  ended.then(forget, forget);
}

/** In the tier where no idle pod stays in memory, waits until it has left: so that the next call has to load it. */
export async function whenIdlePodsHaveLeft(): Promise<void> {
  if (Deno.env.get(podsInMemoryMaxName) !== "0") return;
  const deadline = performance.now() + leavingMs;
  while (performance.now() < deadline && [...podCounts].some((count) => count() > 0)) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
