/** What no worker does: outputs published by hand, messages removed from the log. */
import { headers as newHeaders, type StreamInfo } from "nats";
import type { Json, Pod } from "./pod.ts";
import { type Server, withConnection } from "./session_log.ts";
import { patiently } from "./within.ts";

export interface HandMade {
  readonly kind?: string;
  /** By default a result that changes nothing. */
  readonly body?: Json | Uint8Array;
  /** By default the one that a worker uses. */
  readonly messageId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Publishes an output for an input, as another worker would; gives its seq. */
export async function recordByHand(pod: Pod, inputSeq: number, handMade: HandMade = {}): Promise<number> {
  const { kind = "result", body = {}, messageId, headers = {} } = handMade;
  const { created } = await infoOf(pod);
  const all = newHeaders();
  all.set("Nats-Msg-Id", messageId ?? `out-${created}-${inputSeq}`);
  all.set("Tasuki-Input", String(inputSeq));
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  const data = body instanceof Uint8Array
    ? body
    : new TextEncoder().encode(JSON.stringify(bodyOf(kind, inputSeq, body)));
  const { seq, duplicate } = await pod.nc.jetstream(patiently).publish(`tasks.${pod.id}.out.${kind}`, data, {
    headers: all,
  });
  if (duplicate) throw new Error(`the log already holds an output for input ${inputSeq}, at seq ${seq}`);
  return seq;
}

/** With what every output of the kind has, in the order in which a worker writes it. */
function bodyOf(kind: string, inputSeq: number, more: Json): Json {
  if (kind !== "result") return { v: 1, rules: 1, input_seq: inputSeq, ...more };
  const result = { content: [], structuredContent: {}, isError: false };
  const head = {
    v: 1,
    rules: 1,
    call_id: "c",
    tool: "TaskCreate",
    input_seq: inputSeq,
    changes: [],
    ...more,
  };
  return { ...head, warnings: [], summary: "", result };
}

/** Changes that make one task. */
export function taskMade(taskid: number, subject: string): Json {
  return { changes: [{ taskid, status: "pending", subject, description: "" }] };
}

async function infoOf(pod: Pod, stream = "TASKS"): Promise<StreamInfo> {
  return await (await pod.nc.jetstreamManager(patiently)).streams.info(stream);
}

/** Takes a message out of the log. */
export async function removeMessage(server: Server, seq: number): Promise<void> {
  await withConnection(server, async (nc) => {
    await (await nc.jetstreamManager(patiently)).streams.deleteMessage("TASKS", seq);
  });
}
