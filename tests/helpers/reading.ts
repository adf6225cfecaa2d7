/** What a call's arguments are read as, for tests of `src/tools`. */
import type { Command } from "../../src/tasks/command.ts";
import { isRefusal } from "../../src/tasks/refusal.ts";
import type { ToolName } from "../../src/tools/names.ts";
import { readCall } from "../../src/tools/read_call.ts";

/** The command, and the warnings where there are any; or the refusal's message. */
export function read(
  tool: ToolName,
  args: unknown,
): { command: Command; warnings?: readonly string[] } | string {
  const call = readCall(tool, args);
  if (isRefusal(call)) return call.message;
  const { command, warnings } = call;
  return warnings.length === 0 ? { command } : { command, warnings };
}

/** The arguments as they come out of a message: JSON and nothing else. */
export function readJson(tool: ToolName, json: string): ReturnType<typeof read> {
  return read(tool, JSON.parse(json));
}
