/** Spans by OpenTelemetry, which Deno exports where `OTEL_DENO=true`. A trace comes with an input and goes on with its output. */
import { propagation, ROOT_CONTEXT, SpanKind, trace, type Tracer as Recording } from "@opentelemetry/api";
import type { LogMessage } from "../log/log_message.ts";
import type { Answered, Span, Tracer } from "../worker/observer.ts";

/** How the trace context is read from an input's headers. */
const inputHeaders = {
  get: (input: LogMessage, name: string) => input.header(name) ?? undefined,
  keys: () => [],
};

export class Spans implements Tracer {
  readonly #recording: Recording = trace.getTracer("tasuki");

  begin(pod: string, input: LogMessage, { kind, tool, refusal, rejection }: Answered): Span | null {
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
    if (!span.isRecording()) return null;
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
