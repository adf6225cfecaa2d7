/** What an exception means for whoever ran the command: what is said, and the code that the process ends with. */
import { OperatorError, TransientError, UsageError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { UnrecordableError } from "../worker/ports.ts";
import { linesForTerminal } from "./terminal_text.ts";

/** 2: the command line or the configuration is wrong. */
type FailureCode = 0 | 1 | 2;

interface FailureOutlet {
  /** Its reason is no failure. */
  readonly stop: AbortSignal;
  /** To standard error. */
  readonly write: (text: string) => unknown;
  /** Is told of faults: whatever is thrown and says nothing to a person. */
  readonly logger: Logger;
}

export function reportFailure(error: unknown, { stop, write, logger }: FailureOutlet): FailureCode {
  const isStop = stop.aborted && error === stop.reason;
  if (isStop || error instanceof Deno.errors.BrokenPipe) return 0;
  const isUsage = error instanceof UsageError;
  const isExpected = isUsage || error instanceof OperatorError || error instanceof TransientError ||
    error instanceof UnrecordableError;
  if (isExpected) write(`${linesForTerminal(error.message)}\n`);
  else logger.error("ended by a fault", { error });
  return isUsage ? 2 : 1;
}
