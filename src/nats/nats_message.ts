/** Messages of the client library as messages of the log. */
import { z } from "zod";
import type { LogMessage } from "../log/log_message.ts";
import type { Msg, MsgHdrs, StoredMsg } from "./client.ts";

/** What the server says of a delivered message, in its reply subject. */
interface Delivery {
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
export function deliveryOf({ reply }: Pick<Msg, "reply">): Delivery | null {
  if (!reply?.startsWith("$JS.ACK.")) return null;
  let dots = 0;
  for (let dot = reply.indexOf("."); dot >= 0; dot = reply.indexOf(".", dot + 1)) dots++;
  if (dots !== 8 && dots < 10) return null;
  let seqAt = 0;
  for (let token = 0; token < (dots === 8 ? 5 : 7); token++) seqAt = reply.indexOf(".", seqAt) + 1;
  const consumerSeqAt = reply.indexOf(".", seqAt) + 1;
  const timeAt = reply.indexOf(".", consumerSeqAt) + 1;
  const pendingAt = reply.indexOf(".", timeAt) + 1;
  const end = reply.indexOf(".", pendingAt);
  return {
    seq: numberOf(reply, seqAt, consumerSeqAt - 1),
    consumerSeq: numberOf(reply, consumerSeqAt, timeAt - 1),
    // Nanoseconds are too large for a double: whole milliseconds.
    timeMs: numberOf(reply, timeAt, pendingAt - 1 - 6),
    pending: numberOf(reply, pendingAt, end < 0 ? reply.length : end),
  };
}

/** What the digits between two places say: faster than by splitting the text. */
function numberOf(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) number = 10 * number + text.charCodeAt(at) - zeroCode;
  return number;
}

const zeroCode = "0".charCodeAt(0);

export class DeliveredMessage implements LogMessage {
  readonly seq: number;
  readonly timeMs: number;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly receivedMs: number;
  readonly #message: Msg;
  /** Null where it was not read yet, or cannot be. */
  #headerBlock: string | null = null;

  constructor(message: Msg, { seq, timeMs }: Delivery, receivedMs: number) {
    this.seq = seq;
    this.timeMs = timeMs;
    this.subject = message.subject;
    this.data = message.data;
    this.receivedMs = receivedMs;
    this.#message = message;
  }

  header(name: string): string | null {
    this.#headerBlock ??= headerBlockOf(this.#message);
    if (this.#headerBlock === null) return valueOf(this.#message.headers, name);
    const start = `\r\n${name}:`;
    const at = this.#headerBlock.indexOf(start);
    if (at < 0) return null;
    return this.#headerBlock.slice(at + start.length, this.#headerBlock.indexOf("\r\n", at + start.length))
      .trim();
  }
}

const decoder = new TextDecoder();

/**
 * The headers as they came, each on a line; null where the client library does not have them where it had them. Its
 * own reading makes a map of all of them, which costs more than finding one.
 */
function headerBlockOf(message: Msg): string | null {
  if (!("_rdata" in message) || !(message._rdata instanceof Uint8Array)) return null;
  const block = message._rdata.subarray(0, message._rdata.length - message.data.length);
  return decoder.decode(block);
}

/** What the client library holds of a stored message: the server's answer. */
const storedAnswer = z.object({ smr: z.object({ message: z.object({ data: z.string() }) }) });

/** The bytes of a stored message. The client library reads base64 letter by letter, which takes milliseconds. */
export function bytesOf(message: StoredMsg): Uint8Array {
  const base64 = storedAnswer.safeParse(message).data?.smr.message.data;
  return base64 === undefined ? message.data : Uint8Array.fromBase64(base64);
}

/** The first value of a header, or null. */
export function valueOf(headers: MsgHdrs | undefined, name: string): string | null {
  return headers?.has(name) ? headers.get(name) : null;
}
