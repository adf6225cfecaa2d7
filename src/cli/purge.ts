/**
 * `purge`: a pod's list and its history, erased while the worker runs.
 *
 * Invariants:
 * 1. The pod's session is closed first, in the log: so the worker that leads, those that follow and every later replay
 *    have an empty list, whatever is thrown away before it.
 * 2. Nothing is thrown away before a checkpoint covers the close: then no start reads the gap, and the saved list is
 *    the empty one.
 */
import { OperatorError } from "../errors.ts";
import { findCovering } from "../worker/read_checkpoint.ts";
import type { Command } from "./command.ts";
import { exchange } from "./exchange.ts";
import { podToken, requiredArgument, timeoutOf } from "./given_values.ts";
import { isSaved, noSuchPod } from "./known_pod.ts";
import { readOutputBody } from "./output_body.ts";
import type { Remote } from "./ports.ts";

const timeoutMsDefault = 60_000;
const pauseMs = 250;

export const purge: Command = {
  name: "purge",
  form: "<pod>",
  about: [
    "Erases what log and checkpoint hold of a pod, for good: its list, its calls, its answers.",
    "The running worker closes its session first, and what the pod publishes later begins a new list.",
  ],
  options: {
    "timeout-ms": {
      type: "string",
      value: "<ms>",
      description: `how long to wait for the worker and its next checkpoint; by default ${timeoutMsDefault}`,
    },
  },
  async run(world, given) {
    const pod = podToken(requiredArgument(given, 0));
    const timeoutMs = timeoutOf(given, timeoutMsDefault);
    const deadlineMs = performance.now() + timeoutMs;
    await using remote = await world.openRemote();
    const inputsCount = await countInputs(remote, pod);
    if (inputsCount === 0 && !await isSaved(remote.bucket, pod)) throw noSuchPod("purge", pod);
    world.err.write(`Erasing ${inputsCount} input(s) of ${pod} and their answers\n`);
    const closing = { pod, rest: "session.closed", content: { event_id: world.freshId() }, timeoutMs };
    const { inputSeq, output } = await exchange(world, remote, closing);
    if (output === null || readOutputBody(output.data) === null) {
      throw new OperatorError(`Nothing is erased: no worker answered the close of ${pod} at seq ${inputSeq}`);
    }
    world.err.write("Waiting for a checkpoint of the empty list\n");
    await untilCovered(remote, inputSeq, deadlineMs);
    const count = await remote.erase(pod, inputSeq);
    await world.out.write(`Erased ${count} messages of ${pod}: its list is empty since seq ${inputSeq}\n`);
    return 0;
  },
};

/** What the log has of a pod; published is nothing, which would make the pod. @throws {TransientError} when the server does not answer */
async function countInputs({ log }: Remote, pod: string): Promise<number> {
  const reader = await log.read({ afterSeq: 0, only: { inputsOf: pod }, messagesMax: 1 });
  try {
    return reader.pending;
  } finally {
    await reader.close();
  }
}

/** @throws {OperatorError} when no checkpoint covers the seq in time */
async function untilCovered({ bucket, log }: Remote, seq: number, deadlineMs: number): Promise<void> {
  const { created } = await log.state();
  for (;;) {
    const { record } = await findCovering(bucket, log, created);
    const coveredSeq = record?.position ?? 0;
    if (coveredSeq >= seq) return;
    if (performance.now() >= deadlineMs) {
      throw new OperatorError(
        `The list is empty and its history is still there: no checkpoint covers seq ${seq}, the last one ends ` +
          `at ${coveredSeq}: does a worker run that serves every pod? Purge again later`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
