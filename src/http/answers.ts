/** The responses that are not a file: texts and JSON, never kept by anybody in between. */

/** For what the browser of an operator is to see and nobody else. */
const privateHeaders = { "cache-control": "no-store" };

export function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${body}\n`, {
    status,
    headers: { ...privateHeaders, "content-type": "text/plain; charset=utf-8", ...headers },
  });
}

export function json(status: number, body: unknown): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { ...privateHeaders, "content-type": "application/json" },
  });
}
