/** Who may see what pods have written. */
import { createHash, timingSafeEqual } from "node:crypto";
import { text } from "./answers.ts";

const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Null where the request may see boards. Without a token only whoever calls this host by a loopback name may: the page
 * of somebody else's site, which has led its own name here, carries that name.
 */
export function refusalOf(request: Request, token: string | null): Response | null {
  if (token === null) {
    return loopbackHosts.includes(new URL(request.url).hostname)
      ? null
      : text(403, "Without a token boards are shown under a loopback name only");
  }
  const [, given = ""] = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  return isSame(given, token) ? null : text(401, "Boards need the token", { "www-authenticate": "Bearer" });
}

/** In a time that tells nothing of where they differ. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(value: string): Uint8Array {
  return createHash("sha256").update(value).digest();
}
