/** Whether a worker may be relied on: replayed, of the right stream, leading or following (R17). */

/** A stream that was not recognised for this long may be another one by now. */
const verifiedMsMax = 6_000;

export interface Readiness {
  /** Null while it works. */
  readonly end: "stopping" | "failed" | null;
  readonly isStreamOpen: boolean;
  readonly isCaughtUp: boolean;
  /** Whether it leads by the bucket's last word, and may not act by its own clock. */
  readonly hasLapsed: boolean;
  readonly cursorSeq: number;
  readonly streamLastSeq: number;
  /** Null before the first time. */
  readonly verifiedMsAgo: number | null;
}

/** Why it is not ready, without a full stop; null where it is. */
export function reasonNotReady(facts: Readiness): string | null {
  if (facts.end === "stopping") return "it is stopping";
  if (facts.end === "failed") return "it failed and is ending";
  if (!facts.isStreamOpen) return "the stream is not open yet";
  if (!facts.isCaughtUp) {
    return `the log is replayed: read up to seq ${facts.cursorSeq} of ${facts.streamLastSeq}`;
  }
  if (facts.hasLapsed) return "it led and could not renew its lease";
  if ((facts.verifiedMsAgo ?? Infinity) <= verifiedMsMax) return null;
  return `the stream was last recognised ${facts.verifiedMsAgo} ms ago`;
}
