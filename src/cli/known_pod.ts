/** Whether a pod exists, for the commands that are about one. */
import { OperatorError } from "../errors.ts";
import type { ReadableBucket } from "../worker/ports.ts";
import { podKey } from "../worker/read_checkpoint.ts";

/** Of a pod that neither the log nor the checkpoint has. @param verb what cannot be done with it */
export function noSuchPod(verb: string, pod: string): OperatorError {
  return new OperatorError(`Cannot ${verb}: there is no pod ${pod}`);
}

/** For who waits until it exists. */
export function notYetThere(pod: string): string {
  return `There is no pod ${pod} yet: waiting for it`;
}

/** @throws {TransientError} when the server does not answer */
export async function isSaved(bucket: ReadableBucket, pod: string): Promise<boolean> {
  return (await bucket.get(podKey(pod))).value !== null;
}
