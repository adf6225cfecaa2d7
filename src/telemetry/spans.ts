/**
 * Spans by OpenTelemetry, which Deno exports where `OTEL_DENO=true`. A trace comes with an input and goes on with its
 * output, also one that nobody records.
 */
import { propagation, ROOT_CONTEXT, SpanKind, trace, type Tracer as Recording } from "@opentelemetry/api";
import type { LogMessage } from "../log/log_message.ts";
import type { Answered, Span, Tracer } from "../worker/observer.ts";

/** What a trace goes on by (W3C Trace Context). Nothing else of what a caller writes goes on with an output. */
const contextHeaders = ["traceparent", "tracestate"];
const isAscii = /^[\t\x20-\x7e]*$/;

/** How the trace context is read from an input's headers. */
const inputHeaders = {
  get(input: LogMessage, name: string): string | undefined {
    const value = contextHeaders.includes(name) ? input.header(name) : null;
    return value !== null && isAscii.test(value) ? ownCopy(value) : undefined;
  },
  keys: () => contextHeaders,
};

/**
 * The same text that is no part of another: Deno 2.9 takes no trace id that was cut out of a text with characters
 * beyond Latin-1, as the headers of a message may be.
 */
function ownCopy(ascii: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(ascii));
}

export class Spans implements Tracer {
  readonly #recording: Recording = trace.getTracer("tasuki");
  readonly #failed: (error: unknown) => void;
  #hasFailed = false;

  /** @param failed told of the first input that could not be traced */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** What cannot be traced is answered without a trace. */
  begin(pod: string, input: LogMessage, what: Answered): Span | null {
    try {
      return this.#begin(pod, input, what);
    } catch (error) {
      if (!this.#hasFailed) this.#failed(error);
      this.#hasFailed = true;
      return null;
    }
  }

  #begin(pod: string, input: LogMessage, { kind, tool, refusal, rejection }: Answered): Span {
    const parent = propagation.extract(ROOT_CONTEXT, input, inputHeaders);
    const span = this.#recording.startSpan(tool ?? kind ?? "unknown input", {
      kind: SpanKind.CONSUMER,
      startTime: performance.timeOrigin + (input.receivedMs ?? performance.now()),
      attributes: {
        "messaging.system": "nats",
        "messaging.operation.type": "process",
        "tasuki.pod": pod,
        "tasuki.input_seq": input.seq,
        ...(refusal === null ? {} : { "tasuki.refusal": refusal }),
        ...(rejection === null ? {} : { "tasuki.rejection": rejection }),
      },
    }, parent);
    span.addEvent("decided");
    const headers = new Map<string, string>();
    propagation.inject(trace.setSpan(parent, span), headers, {
      set: (carrier, name, value) => void carrier.set(name, value),
    });
    return {
      headers,
      end(outputSeq) {
        span.setAttribute("tasuki.output_seq", outputSeq);
        span.end();
      },
    };
  }
}
