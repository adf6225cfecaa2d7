/** What is said of a pod whose log this version cannot apply: its inputs stay unanswered for one that can (R15). */
import { wireVersion } from "../log/outputs.ts";
import type { CallToolResult } from "../tools/answer.ts";

/** @param reason of `PodLog.notServed` */
export function notServedResult(reason: string): CallToolResult {
  const message = `This pod is not served by this version of Tasuki: ${reason}`;
  return {
    content: [{ type: "text", text: message }],
    structuredContent: { error: { code: "not_served", message } },
    isError: true,
  };
}

/** To `Tasuki-Reply` only: it is no output and is not recorded. */
export function notServedMessage(inputSeq: number, reason: string): { readonly [name: string]: unknown } {
  return { v: wireVersion, input_seq: inputSeq, recorded: false, result: notServedResult(reason) };
}
