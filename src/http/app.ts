/**
 * HTTP as a function from request to response: probes, metrics, version, and the page with its data. Only reads, and
 * only what is recorded.
 */
import { rules } from "../tasks/limits.ts";
import { wireVersion } from "../log/outputs.ts";
import type { Logger } from "../logger.ts";
import { isToken } from "../tools/tokens.ts";
import type { Boards } from "../worker/status.ts";
import { refusalOf } from "./access.ts";
import { json, text } from "./answers.ts";
import { eventStream } from "./event_stream.ts";
import { events, type Pace } from "./events.ts";
import { pageFile } from "./page_files.ts";
import type { MetricsText, Served } from "./ports.ts";
import { livez, readyz } from "./probes.ts";
import { wholeTask } from "./view.ts";

/** Pages that may be open at the same time. */
const viewersMax = 64;

export interface AppOptions {
  readonly version: string;
  readonly metrics: MetricsText;
  readonly logger: Logger;
  readonly hasPage: boolean;
  /** What a request must carry to see boards; null where it needs nothing. */
  readonly token: string | null;
  readonly pace: Pace;
}

export class App implements Disposable {
  readonly #options: AppOptions;
  readonly #closing = new AbortController();
  #served: Served | null = null;
  #viewerCount = 0;

  constructor(options: AppOptions) {
    this.#options = options;
  }

  /** From now on there is a worker to ask. */
  serve(served: Served): void {
    this.#served = served;
  }

  /** Always a response: what fails here is logged and answered with 500. */
  readonly handle = async (request: Request): Promise<Response> => {
    try {
      return secured(await this.#answer(request, new URL(request.url)));
    } catch (error) {
      this.#options.logger.error("fault while answering HTTP", { error });
      return secured(text(500, "Tasuki failed on this request"));
    }
  };

  async #answer(request: Request, url: URL): Promise<Response> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return text(405, "Only GET and HEAD are known here", { allow: "GET, HEAD" });
    }
    switch (url.pathname) {
      case "/livez":
        return await livez(this.#served);
      case "/readyz":
        return readyz(this.#served);
      case "/metrics":
        return await this.#metrics();
      case "/version":
        return json(200, { name: "tasuki", version: this.#options.version, rules, wire: wireVersion });
    }
    if (!this.#options.hasPage) return notFound();
    return pageFile(url.pathname) ?? refusalOf(request, this.#options.token) ??
      await this.#data(request, url);
  }

  async #metrics(): Promise<Response> {
    const { metrics } = this.#options;
    const body = await metrics.text({
      status: this.#served?.worker.status() ?? null,
      reconnectCount: this.#served?.connection.reconnectCount ?? 0,
      viewerCount: this.#viewerCount,
    });
    return new Response(body, { headers: { "content-type": metrics.contentType } });
  }

  async #data({ method }: Request, { pathname, searchParams }: URL): Promise<Response> {
    if (this.#served === null) return text(503, "Waiting for NATS");
    const { boards } = this.#served.worker;
    if (pathname === "/events") {
      const pod = searchParams.get("pod");
      return pod === null || isToken(pod) ? this.#events(method, boards, pod) : notFound();
    }
    const [, pod, taskid] = /^\/pods\/([^/]+)\/tasks\/(\d{1,15})$/.exec(pathname) ?? [];
    const board = pod !== undefined && isToken(pod) ? await boards.find(pod) : null;
    const task = board && wholeTask(board.store, Number(taskid));
    return task ? json(200, task) : notFound();
  }

  #events(method: string, boards: Boards, pod: string | null): Response {
    const { pace, logger } = this.#options;
    const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
    if (method === "HEAD") return new Response(null, { headers });
    if (this.#viewerCount >= viewersMax) {
      return text(503, `There are ${viewersMax} pages open already`, { "retry-after": "10" });
    }
    this.#viewerCount++;
    const body = eventStream((signal) => events(boards, pod, pace, signal), {
      signal: this.#closing.signal,
      ended: () => this.#viewerCount--,
      failed: (error) => logger.error("fault while telling a page what changed", { error }),
    });
    return new Response(body, { headers });
  }

  /** Ends what is open, and what is opened later at once. */
  [Symbol.dispose](): void {
    this.#closing.abort();
  }
}

function notFound(): Response {
  return text(404, "There is nothing here");
}

/**
 * The page loads what is served here and nothing else, runs no script that stands in a text, and makes no markup from
 * one (`trusted-types`).
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types tasuki-layout",
].join("; ");

const securityHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

function secured(response: Response): Response {
  for (const [name, value] of Object.entries(securityHeaders)) response.headers.set(name, value);
  return response;
}
