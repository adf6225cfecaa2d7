/** What repeats are recognised by, and the ids that Tasuki derives (R6, R20). The same bytes on every machine. */
import { createHash } from "node:crypto";
import { canonicalJson } from "../tasks/canonical_json.ts";
import { detached } from "../tasks/text.ts";

export interface CallIdentity {
  readonly callId: string;
  readonly agent: string | null;
  readonly session: string | null;
  /** The canonical name. */
  readonly tool: string;
  readonly args: { readonly [name: string]: unknown };
}

/** 22 characters; equal where the call's id, agent, session, tool and arguments (as JSON values) are equal. */
export function callHash({ callId, agent, session, tool, args }: CallIdentity): string {
  return detached(digest(canonicalJson([callId, agent, session, tool, args])).slice(0, 22));
}

/** The id of the TaskList call that follows a compaction: the same for the same pod and compaction. */
export function injectedCallId(pod: string, compactId: string): string {
  return "tl_" + digest(JSON.stringify([pod, compactId])).replace(/[^A-Za-z0-9]/g, "").slice(0, 16);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
