// The way to the worker: requests that carry the token, and the stream of what changes.

const tokenKey = "tasuki-token";
const firstPauseMs = 500;
const longestPauseMs = 10_000;
/** The worker gives a sign of life more often than this. */
const silenceMsMax = 45_000;

/** The worker wants a token, or another one. */
export class TokenNeeded extends Error {
  name = "TokenNeeded";
}

export function keepToken(token) {
  sessionStorage.setItem(tokenKey, token);
}

export function hasToken() {
  return sessionStorage.getItem(tokenKey) !== null;
}

/** @throws {TokenNeeded} */
async function ask(path, options = {}) {
  const token = sessionStorage.getItem(tokenKey);
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(path, { ...options, headers, cache: "no-store" });
  if (response.status === 401) throw new TokenNeeded(path);
  return response;
}

/** All of one task; null where it is not there any more. */
export async function askForTask(pod, taskid) {
  const response = await ask(`/pods/${pod}/tasks/${taskid}`);
  return response.ok ? await response.json() : null;
}

/**
 * Hands on what the worker tells, over and over until the signal: a stream that breaks is opened again.
 *
 * @param {string | null} pod whose board is wanted
 * @param {{ tell(name: string, data: unknown): void, state(text: "live" | "away" | "token"): void }} reader
 * @param {AbortSignal} signal
 */
export async function listen(pod, reader, signal) {
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    try {
      const response = await ask(pod === null ? "/events" : `/events?pod=${pod}`, { signal });
      if (response.ok) {
        reader.state("live");
        pauseMs = firstPauseMs;
        for await (const [name, data] of eventsOf(response.body)) reader.tell(name, data);
      }
    } catch (error) {
      if (error instanceof TokenNeeded) return reader.state("token");
      if (signal.aborted) return;
    }
    reader.state("away");
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  }
}

/** The events of a `text/event-stream`, as pairs of name and data. */
async function* eventsOf(body) {
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const timer = setTimeout(() => reader.cancel(), silenceMsMax);
    const { value, done } = await reader.read();
    clearTimeout(timer);
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
      if (name !== undefined) yield [name, JSON.parse(data)];
    }
  }
}
