/**
 * Reads the lines of a Claude Code transcript (`~/.claude/projects/<project>/<session>.jsonl`) into entries of SPEC §7:
 * the calls of task tools and their results, in the order of the file.
 *
 * What real transcripts do, and what is made of it:
 * 1. A sub-agent's lines (`isSidechain`, in older versions inside the session's file, else in one of their own, or
 *    wrapped in `progress` lines) call the same task tools on the *session's* list: Claude Code gives every sub-agent
 *    of a session one list. So their calls are part of this history, each with its agent's name.
 * 2. A compaction leaves the list as it is. After its boundary, and after a resume or a fork, earlier lines may stand in
 *    the file again: those with a known `uuid` are skipped here, those with a new one carry calls whose id, name and
 *    arguments `restore` has seen before.
 * 3. A result may be of a call whose line is not there, and a call may have none, where the session was interrupted.
 * 4. `TodoWrite` replaces a list of its own, without ids: it is no task tool, and neither is `Task`, which starts agents.
 */
import { snapshotMarker } from "../tasks/list_text.ts";
import { isJsonObject } from "../tools/arguments.ts";
import { toolInHistory } from "../tools/names.ts";
import { isAgentName } from "../tools/tokens.ts";
import type { Entry } from "./entry.ts";
import { givenTaskid } from "./given_taskid.ts";

type JsonLine = { readonly [name: string]: unknown };

/** Whether a line is one of a transcript, whatever it holds. */
export function isTranscriptLine(line: JsonLine): boolean {
  return typeof line.type === "string" &&
    ["message", "uuid", "sessionId", "leafUuid", "messageId", "snapshot"].some((name) =>
      Object.hasOwn(line, name)
    );
}

export class ClaudeCodeReader {
  readonly #uuids = new Set<string>();
  /** Keyed by tool_use id: for each of its calls without a result whether a task tool was called, oldest first. */
  readonly #open = new Map<string, boolean[]>();
  #repeatedLines = 0;

  /** Lines that stand in the file once more. */
  get repeatedLines(): number {
    return this.#repeatedLines;
  }

  /** The entries of one line. */
  read(line: JsonLine): readonly Entry[] {
    const inner = wrappedLine(line) ?? line;
    if (this.#isRepeated(inner)) return [];
    const { type, content, message } = inner;
    if (type === "system" && typeof content === "string" && content.startsWith(snapshotMarker)) {
      return [{ type: "message", role: "system", text: content }];
    }
    if (type !== "assistant" && type !== "user" || !isJsonObject(message)) return [];
    const blocks = Array.isArray(message.content) ? message.content.filter(isJsonObject) : [];
    const results = blocks.filter((block) => block.type === "tool_result");
    const structured = results.length === 1 ? inner.toolUseResult : undefined;
    return [
      ...blocks.filter((block) => block.type === "tool_use").flatMap((block) => this.#call(block, inner)),
      ...results.flatMap((block) => this.#result(block, structured)),
    ];
  }

  #isRepeated({ uuid }: JsonLine): boolean {
    if (typeof uuid !== "string") return false;
    if (this.#uuids.has(uuid)) {
      this.#repeatedLines++;
      return true;
    }
    this.#uuids.add(uuid);
    return false;
  }

  #call({ id, name, input }: JsonLine, { agentId }: JsonLine): readonly Entry[] {
    if (typeof id !== "string" || typeof name !== "string") return [];
    const isTaskTool = toolInHistory(name) !== null;
    const calls = this.#open.get(id) ?? [];
    calls.push(isTaskTool);
    this.#open.set(id, calls);
    if (!isTaskTool) return [];
    const agent = typeof agentId === "string" && isAgentName(agentId) ? { agent: agentId } : {};
    return [{ type: "tool_call", call_id: id, name, arguments: input, ...agent }];
  }

  /** @param structured the line's result for programs, where it has one result */
  #result(block: JsonLine, structured: unknown): readonly Entry[] {
    const { tool_use_id: id } = block;
    const calls = typeof id === "string" ? this.#open.get(id) : undefined;
    if (typeof id !== "string" || !calls) return [];
    const isOfTaskTool = calls.shift();
    if (calls.length === 0) this.#open.delete(id);
    if (!isOfTaskTool) return [];
    const taskid = givenTaskid(structured, textOf(block.content));
    const isError = block.is_error === true ||
      (isJsonObject(structured) && structured.success === false);
    return [{ type: "tool_result", call_id: id, is_error: isError, ...(taskid === null ? {} : { taskid }) }];
  }
}

/** The sub-agent's line that a progress line carries; null for any other line. */
function wrappedLine({ type, data }: JsonLine): JsonLine | null {
  if (type !== "progress" || !isJsonObject(data) || data.type !== "agent_progress") return null;
  return isJsonObject(data.message) ? { agentId: data.agentId, ...data.message } : null;
}

/** A result's content: a text, or blocks of which those of type `text` have one. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.filter(isJsonObject).map(({ text }) => typeof text === "string" ? text : "").join("\n");
}
