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

/** Tools that change nothing, whatever their arguments. */
export function isReadingTool(tool: ToolName): boolean {
  return tool === "TaskList" || tool === "TaskGet";
}
