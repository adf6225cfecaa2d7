/** The calls that the bench makes: all of the size that a model writes. */

export function newTask(index: number): { readonly subject: string; readonly description: string } {
  return {
    subject: `Write the parser, part ${index}`,
    description: "JSONC: keep comments, say where it fails",
  };
}

export function newTasks(count: number): { readonly tasks: readonly ReturnType<typeof newTask>[] } {
  return { tasks: Array.from({ length: count }, (_, index) => newTask(index + 1)) };
}

/** A change each time, where `turn` counts the calls on this task. */
export function statusChange(
  taskid: number,
  turn: number,
): { readonly taskid: number; readonly status: string } {
  return { taskid, status: turn % 2 === 0 ? "inprogress" : "pending" };
}
