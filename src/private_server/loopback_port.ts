/**
 * Ports of 127.0.0.1 for servers. They lie below the range from which systems give ports to outgoing
 * connections: a server that is down for a moment finds its port free again, and a client that keeps
 * knocking at it is never connected to itself.
 */

const portMin = 20_000;
const portCount = 10_000;
const triesMax = 100;
const pollMs = 10;

/** The port, of those for servers, that belongs to this text; the same text has the same port. */
export async function portOf(text: string): Promise<number> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return portMin + new DataView(digest).getUint32(0) % portCount;
}

/**
 * The first of the preferred ports that is free, else a random one. Another process may take it before it is
 * used: whoever starts a server with it tries again.
 *
 * @throws {Error} when a hundred random ports in a row are taken
 */
export function freePort(preferred: number[] = []): number {
  const random = Array.from({ length: triesMax }, () => portMin + Math.floor(Math.random() * portCount));
  const port = [...preferred, ...random].find(isFree);
  if (port === undefined) {
    throw new Error(`Cannot find a free port: one of 127.0.0.1 must be free: got ${triesMax} taken ones`);
  }
  return port;
}

/** Waits until the port is free, for so many milliseconds at the most. */
export async function untilFree(port: number, msMax: number): Promise<void> {
  const deadline = performance.now() + msMax;
  while (!isFree(port) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse || error instanceof Deno.errors.PermissionDenied) return false;
    throw error;
  }
}
