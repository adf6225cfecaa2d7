/** Waits for JetStream itself: the servers of a cluster take connections before they have a leader. */
import { OperatorError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { isNotServingYet } from "./api_errors.ts";

/** Longer than an election takes; what a cluster cannot do by then, a person has to look at. */
const servingMsMax = 60_000;
const pauseMs = 500;

/** What `open` gives. @throws {OperatorError} of `open`: at once, or after a minute where that might have passed */
export async function untilServing<T>(open: () => Promise<T>, logger: Logger): Promise<T> {
  const deadline = performance.now() + servingMsMax;
  let hasComplained = false;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const mayPass = error instanceof OperatorError && isNotServingYet(error.cause);
      if (!mayPass || performance.now() >= deadline) throw error;
      if (!hasComplained) logger.warn("waiting for JetStream", { error });
      hasComplained = true;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
