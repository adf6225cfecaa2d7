/** The tools by name. Answers use the canonical names only. */

export const toolNames = [
  "TaskCreate",
  "TaskList",
  "TaskGet",
  "TaskUpdate",
  "TaskClaim",
  "TaskComplete",
  "TaskRelease",
] as const;
export type ToolName = typeof toolNames[number];

/** Names of the courses' tools (R30); keyed by what a caller may write. */
const aliases: ReadonlyMap<string, ToolName> = new Map<string, ToolName>([
  ...toolNames.map((name): [string, ToolName] => [name, name]),
  ["create_task", "TaskCreate"],
  ["task_create", "TaskCreate"],
  ["list_tasks", "TaskList"],
  ["task_list", "TaskList"],
  ["get_task", "TaskGet"],
  ["task_get", "TaskGet"],
  ["task_update", "TaskUpdate"],
  ["update_task", "TaskUpdate"],
  ["claim_task", "TaskClaim"],
  ["complete_task", "TaskComplete"],
  ["release_task", "TaskRelease"],
]);

/** The tool of that name, or null. */
export function toolOf(name: string): ToolName | null {
  return aliases.get(name) ?? null;
}

/** The tool that was probably meant by a name that is none: it differs by case and separators only. Null where none is. */
export function toolMeant(name: string): ToolName | null {
  const plain = (text: string): string => text.replaceAll(/[_-]/g, "").toLowerCase();
  const [, tool = null] = [...aliases].find(([known]) => plain(known) === plain(name)) ?? [];
  return tool;
}

/** Tools that change nothing, whatever their arguments. */
export function isReadingTool(tool: ToolName): boolean {
  return tool === "TaskList" || tool === "TaskGet";
}

/** The tool of a name as a session's history has it: perhaps through an MCP server, `mcp__<server>__<Tool>` (R23). */
export function toolInHistory(name: string): ToolName | null {
  const serverEnd = name.lastIndexOf("__");
  const hasServer = name.startsWith("mcp__") && serverEnd > "mcp__".length;
  return toolOf(hasServer ? name.slice(serverEnd + 2) : name);
}
