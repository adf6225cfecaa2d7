/** What JetStream's own errors say, told apart by their numbers (`errors.json` of nats-server). */
import { ErrorCode, NatsError } from "./client.ts";

/** What the servers of a cluster say while they look for one another, or for a leader. */
const clusterNumbers = [10004, 10005, 10008, 10009];

/** The servers are there and cannot serve yet. */
export function isNotServingYet(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  const number = error.jsError()?.err_code;
  if (number !== undefined) return clusterNumbers.includes(number);
  return error.code === ErrorCode.NoResponders || error.code === ErrorCode.Timeout;
}

/** In words: the library's own message may be a bare number. */
export function saidBy(error: NatsError): string {
  const description = error.jsError()?.description;
  return description ?? (error.code === ErrorCode.NoResponders ? "no JetStream answers" : error.message);
}

export function isStreamNotFound(error: unknown): boolean {
  return hasNumber(error, 10059);
}

/** Another stream has some of the subjects already. */
export function isOverlap(error: unknown): boolean {
  return hasNumber(error, 10065);
}

/** The stream has no message at this seq, or none of this subject. */
export function isNoMessage(error: unknown): boolean {
  return hasNumber(error, 10037) ||
    (error instanceof NatsError && error.message.includes("no message found"));
}

function hasNumber(error: unknown, number: number): boolean {
  return error instanceof NatsError && error.jsError()?.err_code === number;
}
