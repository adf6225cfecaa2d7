/** Whom a worker tells what happens, as it happens, and what it says of itself when it is asked. */
import type { Input } from "../log/read_input.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { RejectedReason } from "../log/rejected_input.ts";
import type { RefusalCode } from "../tasks/refusal.ts";
import type { ToolName } from "../tools/names.ts";

/** What an input was and what became of it. Every value is of a closed set: none is a text from outside. */
export interface Answered {
  /** Null where the input is of no known kind. */
  readonly kind: Input["kind"] | null;
  /** By its canonical name; null where the input calls no tool that there is. */
  readonly tool: ToolName | null;
  /** Null where it was not refused. */
  readonly refusal: RefusalCode | null;
  /** Null where it was not rejected. */
  readonly rejection: RejectedReason | null;
}

/** Told by a worker at work: cheap, and never throws. Durations are in milliseconds. */
export interface Observer {
  /**
   * An input's output, published here, is in the log.
   *
   * @param sinceStreamMs since the stream took the input: this machine's clock against the server's
   * @param sinceReceiptMs since the input's bytes arrived here
   */
  answered(input: Answered, sinceStreamMs: number, sinceReceiptMs: number): void;
  /** The end that the log had at the start is reached. */
  replayed(tookMs: number): void;
  /** A checkpoint is written. */
  saved(tookMs: number): void;
  /** This worker leads from now on, or no longer. */
  led(isLeading: boolean): void;
}

/** Makes a span of each input's way. */
export interface Tracer {
  /** A span from the input's arrival on; null where nobody records it. */
  begin(pod: string, input: LogMessage, what: Answered): Span | null;
}

export interface Span {
  /** The headers by which an output carries the trace on. */
  readonly headers: ReadonlyMap<string, string>;
  /** The output is in the log. */
  end(outputSeq: number): void;
}

export const noObserver: Observer = {
  answered: () => {},
  replayed: () => {},
  saved: () => {},
  led: () => {},
};

export const noTracer: Tracer = { begin: () => null };
