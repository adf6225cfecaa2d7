/** Whom a worker exports its spans to: OTLP over HTTP, as JSON. */

/** One span of a worker's own, and the names of its attributes. */
export interface CollectedSpan {
  readonly name: string;
  readonly attributes: readonly string[];
}

interface Exported {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly {
        readonly name: string;
        readonly attributes: readonly { readonly key: string }[];
      }[];
    }[];
  }[];
}

export class Collector implements AsyncDisposable {
  /** In the order in which they came. */
  readonly spans: CollectedSpan[] = [];
  readonly #released = Promise.withResolvers<void>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** @param isSilent whether it takes what comes and never answers */
  constructor({ isSilent = false } = {}) {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      if (isSilent) await this.#released.promise;
      else this.#take(await request.json());
      return Response.json({});
    });
  }

  /** The environment of a worker that exports to here. */
  get env(): { readonly [name: string]: string } {
    return {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.#server.addr.port}`,
    };
  }

  /** Those of Deno's own, about HTTP, are left out. */
  #take({ resourceSpans = [] }: Exported): void {
    const scopes = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans);
    for (const { spans } of scopes.filter(({ scope }) => scope.name === "tasuki")) {
      for (const { name, attributes } of spans) {
        this.spans.push({ name, attributes: attributes.map(({ key }) => key) });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#released.resolve();
    await this.#server.shutdown();
  }
}
