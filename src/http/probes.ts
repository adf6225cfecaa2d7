/** What an orchestrator asks: is the process alive, and may it be relied on. */
import type { WorkerStatus } from "../worker/status.ts";
import { json } from "./answers.ts";
import type { Served } from "./ports.ts";

/** Below the second after which a kubelet gives a probe up by itself. */
const answerWaitMs = 800;

/**
 * Alive: the event loop turns, or there would be no answer at all, and what NATS says is read here. A process that
 * waits for its first connection is alive.
 */
export async function livez(served: Served | null): Promise<Response> {
  if (served === null) return json(200, { status: "alive", reason: "waiting for NATS" });
  if (await served.connection.answers(answerWaitMs)) return json(200, { status: "alive" });
  const reason = served.connection.isConnected
    ? `NATS did not answer within ${answerWaitMs} ms`
    : "not connected to NATS";
  return json(503, { status: "deaf", reason });
}

/** Ready: replayed, of the right stream, leading or following (R17). */
export function readyz(served: Served | null): Response {
  if (served === null) return json(503, { status: "not ready", reason: "waiting for NATS" });
  const status = served.worker.status();
  const reason = served.connection.isConnected ? status.notReady : "not connected to NATS";
  return reason === null
    ? json(200, { status: "ready", ...fieldsOf(status) })
    : json(503, { status: "not ready", reason, ...fieldsOf(status) });
}

function fieldsOf(status: WorkerStatus): { readonly [name: string]: unknown } {
  return {
    role: status.isLeading ? "leading" : "following",
    cursor_seq: status.cursorSeq,
    stream_last_seq: status.streamLastSeq,
    lag_messages: status.lagMessages,
    stream_verified_ms_ago: status.verifiedMsAgo,
    pods_in_memory: status.podsInMemory,
    outputs_in_flight: status.outputsInFlight,
  };
}
