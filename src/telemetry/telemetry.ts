/** Whom a worker tells what happens, where it runs for real. */
import { noTracer, type Tracer } from "../worker/observer.ts";
import { Metrics } from "./metrics.ts";
import { Spans } from "./spans.ts";

interface Telemetry {
  readonly observer: Metrics;
  readonly tracer: Tracer;
}

/**
 * @param hasTracing whether Deno exports spans: `OTEL_DENO=true`
 * @param untraced told of the first input that could not be traced
 */
export function telemetryOf(
  version: string,
  hasTracing: boolean,
  untraced: (error: unknown) => void,
): Telemetry {
  return { observer: new Metrics(version), tracer: hasTracing ? new Spans(untraced) : noTracer };
}
