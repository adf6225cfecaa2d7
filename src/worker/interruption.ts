/** Why the reading of the log is interrupted, other than by what passes. */
import { CheckpointLost } from "./checkpoints.ts";
import { StreamReplaced } from "./stream_identity.ts";

/** The lease was won or lost: read another part of the log. */
export class RoleChanged extends Error {
  override readonly name = "RoleChanged";
}

/** The log lacks what the checkpoint has by now: go on from there. */
export class CheckpointAhead extends Error {
  override readonly name = "CheckpointAhead";
}

/** Nothing went wrong. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** What was believed does not hold any more. */
export type ReasonToStartOver = StreamReplaced | CheckpointLost | CheckpointAhead;

export function isReasonToStartOver(error: unknown): error is ReasonToStartOver {
  return error instanceof StreamReplaced || error instanceof CheckpointLost ||
    error instanceof CheckpointAhead;
}
