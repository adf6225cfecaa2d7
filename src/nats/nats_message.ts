/** Messages of the client library as messages of the log. */
import type { LogMessage } from "../log/log_message.ts";
import type { Msg, MsgHdrs } from "./client.ts";

/** What the server says of a delivered message, in its reply subject. */
export interface Delivery {
  readonly seq: number;
  /** Counts the consumer's deliveries, from 1. */
  readonly consumerSeq: number;
  readonly timeMs: number;
  /** Matching messages that were still to come. */
  readonly pending: number;
}

/**
 * Null where the message carries no delivery: a status of the server.
 *
 * Source: `$JS.ACK.<stream>.<consumer>.<delivered>.<seq>.<consumer seq>.<time>.<pending>`, with `<domain>.<account>`
 * after `ACK` and one more token at the end where the server has a domain (NATS ADR-15).
 */
export function deliveryOf(message: Msg): Delivery | null {
  const { reply } = message;
  if (!reply?.startsWith("$JS.ACK.")) return null;
  const tokens = reply.split(".");
  const at = tokens.length > 9 ? 7 : 5;
  return {
    seq: Number(tokens[at]),
    consumerSeq: Number(tokens[at + 1]),
    timeMs: millisOf(tokens[at + 2] ?? "0"),
    pending: Number(tokens[at + 3]),
  };
}

/** Whole milliseconds of a number of nanoseconds too large for a double. */
function millisOf(nanos: string): number {
  return Number(nanos.slice(0, -6));
}

export class DeliveredMessage implements LogMessage {
  readonly seq: number;
  readonly timeMs: number;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly receivedMs: number;
  readonly #message: Msg;

  constructor(message: Msg, { seq, timeMs }: Delivery, receivedMs: number) {
    this.seq = seq;
    this.timeMs = timeMs;
    this.subject = message.subject;
    this.data = message.data;
    this.receivedMs = receivedMs;
    this.#message = message;
  }

  header(name: string): string | null {
    return valueOf(this.#message.headers, name);
  }
}

/** The first value of a header, or null. */
export function valueOf(headers: MsgHdrs | undefined, name: string): string | null {
  return headers?.has(name) ? headers.get(name) : null;
}
