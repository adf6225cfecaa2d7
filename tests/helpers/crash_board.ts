/**
 * The tasks of a pod and what the tools do to them: a second, small writing down of SPEC §4 and §8, made from the page
 * and not from `src`, for the strict forms that `crash_inputs.ts` sends.
 */
import type { Json } from "./pod.ts";

export interface ModelTask {
  readonly taskid: number;
  readonly status: string;
  readonly subject: string;
  readonly description: string;
  readonly owner: string | null;
  readonly blockedBy: readonly number[];
}

/** A refusal. */
export class No extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const statuses = ["pending", "inprogress", "completed", "deleted"];
const needsTaskid = ["TaskGet", "TaskUpdate", "TaskComplete", "TaskRelease"];

export class ModelBoard {
  /** Keyed by taskid, ascending; a task that did not change is the same object. */
  #tasks: ReadonlyMap<number, ModelTask> = new Map();
  #next = 1;

  /** What there is now: put it back by `restore`. */
  get tasks(): ReadonlyMap<number, ModelTask> {
    return this.#tasks;
  }

  restore(tasks: ReadonlyMap<number, ModelTask>): void {
    this.#tasks = tasks;
  }

  empty(): void {
    this.#tasks = new Map();
    this.#next = 1;
  }

  /** The tasks of a snapshot. */
  load(tasks: readonly Json[]): void {
    this.#tasks = new Map(tasks.map((task) => [task.taskid, { owner: null, blockedBy: [], ...task }]));
    this.#next = 1 + Math.max(0, ...this.#tasks.keys());
  }

  /** Does what a call asks; gives the taskids that its answer is about. @throws {No} */
  do(tool: string, args: Json, agent: string | null): readonly number[] {
    if (needsTaskid.includes(tool) && args.taskid === undefined) throw new No("invalid_arguments");
    switch (tool) {
      case "TaskCreate":
        return this.#create(args.tasks ?? [args]);
      case "TaskUpdate":
        return this.#update(args);
      case "TaskClaim":
        return this.#claim(args, claimantOf(args, agent));
      case "TaskComplete":
        return this.#complete(this.get(args.taskid), agent);
      case "TaskRelease":
        return this.#release(this.get(args.taskid), args, agent);
      case "TaskGet":
        return [this.get(args.taskid).taskid];
      default:
        return this.#filtered(args).map(({ taskid }) => taskid);
    }
  }

  /** Gives back what the agent had; gives those tasks. */
  exit(agent: string): readonly ModelTask[] {
    const left = [...this.#tasks.values()].filter((task) => task.owner === agent && isOpen(task));
    for (const task of left) this.#set(task, { status: "pending", owner: null });
    return left;
  }

  #create(items: readonly Json[]): readonly number[] {
    if (items.some(({ subject }) => !subject)) throw new No("invalid_arguments");
    const taskids = items.map((_, index) => this.#next + index);
    const before = this.#tasks;
    const ends = (blockedBy: readonly Json[]): readonly number[] =>
      blockedBy.map((end) => {
        const taskid = typeof end === "string" ? taskids[Number(end.slice(1)) - 1] : before.has(end) && end;
        if (!taskid) throw new No("invalid_arguments");
        return taskid;
      });
    const made = items.map(({ subject, description = "", owner = null, blockedBy = [] }, index) => {
      const taskid = this.#next + index;
      return { taskid, status: "pending", subject, description, owner, blockedBy: sorted(ends(blockedBy)) };
    });
    this.#tasks = new Map([...before, ...made.map((task) => [task.taskid, task] as const)]);
    this.#next += items.length;
    return taskids;
  }

  #update(
    { taskid, if_status, addBlockedBy = [], removeBlockedBy = [], ...fields }: Json,
  ): readonly number[] {
    const isEmpty = Object.keys(fields).length + addBlockedBy.length + removeBlockedBy.length === 0;
    if (isEmpty || !(statuses.includes(fields.status ?? "pending"))) throw new No("invalid_arguments");
    const task = this.get(taskid);
    if (if_status && task.status !== if_status) throw new No("wrong_status");
    if (addBlockedBy.some((end: number) => !this.#tasks.has(end))) throw new No("invalid_arguments");
    const kept = task.blockedBy.filter((end) => !removeBlockedBy.includes(end));
    const isCircle = (end: number): boolean => !kept.includes(end) && this.#waitsFor(end, taskid);
    if (addBlockedBy.some(isCircle)) throw new No("dependency_cycle");
    const cleared = fields.status === "pending" && task.status !== "pending" ? { owner: null } : {};
    if (fields.owner === "") fields.owner = null;
    return this.#set(task, { ...cleared, ...fields, blockedBy: sorted([...kept, ...addBlockedBy]) });
  }

  #claim(args: Json, owner: string): readonly number[] {
    const task = args.taskid === undefined ? this.#nextFor(owner) : this.get(args.taskid);
    const isMine = task.owner === owner;
    if (isMine && task.status === "inprogress") return [task.taskid];
    if (!isOpen(task)) throw new No("wrong_status");
    if (task.owner && !isMine) throw new No("already_claimed");
    if (task.status === "inprogress") throw new No("wrong_status");
    if (this.#openBlockers(task).length > 0) throw new No("blocked");
    const others = [...this.#tasks.values()].filter((other) => other !== task && other.owner === owner);
    if (args.exclusive && others.some(isOpen)) throw new No("already_claimed");
    return this.#set(task, { status: "inprogress", owner });
  }

  #nextFor(owner: string): ModelTask {
    const tasks = [...this.#tasks.values()];
    const own = tasks.filter((task) => task.owner === owner);
    const next = own.find(({ status }) => status === "inprogress") ??
      own.find((task) => task.status === "pending" && this.#openBlockers(task).length === 0) ??
      tasks.find((task) => this.#isReady(task));
    if (!next) throw new No("nothing_ready");
    return next;
  }

  #complete(task: ModelTask, agent: string | null): readonly number[] {
    if (task.status !== "inprogress") throw new No("wrong_status");
    if (task.owner && agent && task.owner !== agent) throw new No("not_owner");
    return this.#set(task, { status: "completed" });
  }

  #release(task: ModelTask, { force, reason }: Json, agent: string | null): readonly number[] {
    const isTaken = task.status === "inprogress" || (task.status === "pending" && task.owner !== null);
    if (!isTaken) throw new No("wrong_status");
    if (task.owner && agent && task.owner !== agent && !(force && reason)) throw new No("not_owner");
    return this.#set(task, { status: "pending", owner: null });
  }

  #filtered({ status, owner, ready }: Json): readonly ModelTask[] {
    return [...this.#tasks.values()].filter((task) =>
      (!status || task.status === status) && (!owner || task.owner === owner) &&
      (!ready || this.#isReady(task))
    );
  }

  #set(task: ModelTask, fields: Partial<ModelTask>): readonly number[] {
    const after = { ...task, ...fields };
    const hasChanged = JSON.stringify(after) !== JSON.stringify(task);
    if (hasChanged) this.#tasks = new Map([...this.#tasks, [task.taskid, after]]);
    return [task.taskid];
  }

  /** @throws {No} */
  get(taskid: number): ModelTask {
    const task = this.#tasks.get(taskid);
    if (!task) throw new No("task_not_found");
    return task;
  }

  #openBlockers({ blockedBy }: ModelTask): readonly number[] {
    return blockedBy.filter((end) => isOpen(this.#tasks.get(end)));
  }

  #isReady(task: ModelTask): boolean {
    return task.status === "pending" && task.owner === null && this.#openBlockers(task).length === 0;
  }

  #waitsFor(from: number, to: number, seen = new Set<number>()): boolean {
    if (from === to) return true;
    seen.add(from);
    return this.get(from).blockedBy.some((end) => !seen.has(end) && this.#waitsFor(end, to, seen));
  }

  // What is shown.

  /** The tasks as the tools show them; all of them, in taskid order, where it is not said which. */
  views(taskids: readonly number[] = [...this.#tasks.keys()], isBrief = false): readonly Json[] {
    const blocks = new Map<number, number[]>(taskids.map((taskid) => [taskid, []]));
    for (const { taskid, blockedBy } of this.#tasks.values()) {
      for (const end of blockedBy) blocks.get(end)?.push(taskid);
    }
    return taskids.map((taskid) => {
      const { description, owner, blockedBy, ...task } = this.get(taskid);
      return {
        ...task,
        ...(isBrief ? {} : { description }),
        ...(owner === null ? {} : { owner }),
        ...unlessEmpty("blockedBy", blockedBy),
        ...unlessEmpty("blocks", blocks.get(taskid) ?? []),
        ...unlessEmpty("openBlockers", this.#openBlockers(this.get(taskid))),
      };
    });
  }

  counts(): Json {
    const tasks = [...this.#tasks.values()];
    return Object.fromEntries(
      statuses.map((status) => [status, tasks.filter((task) => task.status === status).length]),
    );
  }

  /** Ready now, with an open blocker before. */
  unblockedSince(before: ReadonlyMap<number, ModelTask>): readonly Json[] {
    const waited = ({ taskid }: ModelTask): boolean =>
      before.get(taskid)?.blockedBy.some((end) => isOpen(before.get(end))) ?? false;
    return [...this.#tasks.values()].filter((task) => this.#isReady(task) && waited(task)).map(brief);
  }

  hasChangedSince(before: ReadonlyMap<number, ModelTask>): boolean {
    return before.size !== this.#tasks.size || [...this.#tasks].some(([id, task]) => before.get(id) !== task);
  }
}

/** For whom a claim is. */
export function claimantOf(args: Json, agent: string | null): string {
  return args.owner ?? agent ?? "agent";
}

export function isOpen(task: ModelTask | undefined): boolean {
  return task?.status === "pending" || task?.status === "inprogress";
}

export function brief({ taskid, subject }: ModelTask): { readonly taskid: number; readonly subject: string } {
  return { taskid, subject };
}

function sorted(taskids: readonly number[]): readonly number[] {
  return [...new Set(taskids)].sort((a, b) => a - b);
}

function unlessEmpty(
  name: string,
  taskids: readonly number[],
): { readonly [name: string]: readonly number[] } {
  return taskids.length === 0 ? {} : { [name]: taskids };
}
