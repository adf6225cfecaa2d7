/** One message of the log, and the headers that Tasuki reads and writes. */

export interface LogMessage {
  /** Stream sequence: rises along the log; not every number need be there. */
  readonly seq: number;
  /** The stream's timestamp, in milliseconds since the epoch. */
  readonly timeMs: number;
  readonly subject: string;
  readonly data: Uint8Array;
  /** When its bytes arrived, by this process's monotonic clock in milliseconds; not there where nobody measured. */
  readonly receivedMs?: number;
  /** The first value of a header, or null. */
  header(name: string): string | null;
}

export const headerNames = {
  /** On outputs: the seq of the input that is answered. */
  input: "Tasuki-Input",
  /** On results of calls that changed something: the hash that a repeat is recognised by (R6). */
  call: "Tasuki-Call",
  /** On inputs: where the answer is wanted, too (R8). */
  reply: "Tasuki-Reply",
} as const;
