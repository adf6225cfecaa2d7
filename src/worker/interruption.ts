/** Why the reading of the log is interrupted, other than by what passes. */
import type { Logger } from "../logger.ts";
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
type ReasonToStartOver = StreamReplaced | CheckpointLost | CheckpointAhead;

export function isReasonToStartOver(error: unknown): error is ReasonToStartOver {
  return error instanceof StreamReplaced || error instanceof CheckpointLost ||
    error instanceof CheckpointAhead;
}

export function sayStartOver(reason: ReasonToStartOver, logger: Logger): void {
  if (reason instanceof CheckpointAhead) logger.info("the log was shortened: going on from the checkpoint");
  else if (reason instanceof CheckpointLost) {
    logger.error("the checkpoint is gone: all stores are dropped and replayed", { error: reason });
  } else logger.error("the stream is another one: all stores are dropped and replayed", { error: reason });
}
