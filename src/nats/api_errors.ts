/** What JetStream's own errors say, told apart by their numbers (`errors.json` of nats-server). */
import { NatsError } from "./client.ts";

export function isStreamNotFound(error: unknown): boolean {
  return hasNumber(error, 10059);
}

/** The stream has no message at this seq, or none of this subject. */
export function isNoMessage(error: unknown): boolean {
  return hasNumber(error, 10037) ||
    (error instanceof NatsError && error.message.includes("no message found"));
}

/** A compare-and-set found another revision. */
export function isWrongLastSequence(error: unknown): boolean {
  return hasNumber(error, 10071);
}

function hasNumber(error: unknown, number: number): boolean {
  return error instanceof NatsError && error.jsError()?.err_code === number;
}
