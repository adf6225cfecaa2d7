/** The reading lane: a plain request, answered from memory, never recorded (SPEC §2). */
import { decideRead } from "../log/decide_input.ts";
import { noPod, type Subjects } from "../log/subjects.ts";
import { jsonBytes } from "../log/utf8.ts";
import { emptyStore } from "../tasks/store.ts";
import { refuse } from "../tasks/refusal.ts";
import { type CallToolResult, refusalAnswer } from "../tools/answer.ts";
import { isJsonObject } from "../tools/arguments.ts";
import type { PodWorker } from "./pod_worker.ts";
import type { ReadRequest } from "./ports.ts";

/** @param find the pod of an id; null where the log has none, which reads as an empty store */
export function answerRead(
  request: ReadRequest,
  subjects: Subjects,
  find: (pod: string) => PodWorker | null,
): void {
  const respond = (result: CallToolResult): void => request.respond(jsonBytes(result));
  const parsed = subjects.parse(request.subject);
  if (parsed === null || parsed.pod === noPod) return respond(invalid("a pod is 1 to 64 of A-Z a-z 0-9 _ -"));
  const body = bodyOf(request.data);
  if (body === null) return respond(invalid('a read is a JSON object like {"arguments": {}}'));
  const pod = find(parsed.pod);
  if (pod) pod.read(parsed.rest, body.arguments, respond);
  else respond(decideRead(emptyStore(), parsed.rest, body.arguments));
}

function invalid(message: string): CallToolResult {
  return refusalAnswer("TaskList", refuse("invalid_arguments", message)).result;
}

/** Null where it is no JSON object; nothing at all means no arguments. */
function bodyOf(data: Uint8Array): { readonly arguments?: unknown } | null {
  if (data.length === 0) return {};
  try {
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
    return isJsonObject(body) ? body : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}
