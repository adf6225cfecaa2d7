/**
 * What the inputs of a log must lead to: a second, small writing down of the rules of SPEC §3–§8, made from the page
 * and not from `src`, for the strict forms that `crash_inputs.ts` sends. It knows nothing of outputs.
 */
import type { Json } from "./pod.ts";

/** What an answer must say; everything but wording. */
export interface Expected {
  readonly kind: string;
  readonly isDuplicate: boolean;
  /** Of a refusal or a rejection. */
  readonly code: string | null;
  /** The tasks that the answer shows, as `structuredContent` or the event has them. */
  readonly shown: Json;
}

interface Task {
  readonly taskid: number;
  readonly status: string;
  readonly subject: string;
  readonly description: string;
  readonly owner: string | null;
  readonly blockedBy: readonly number[];
}

interface RememberedCall {
  readonly callId: string;
  readonly taskids: readonly number[];
  /** Null for a restored call: its answer is the task as it is. */
  readonly first: Expected | null;
}

class No extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

const callsMax = 1_024;
const eventsMax = 256;
const readingTools = ["TaskList", "TaskGet"];
const tools = [...readingTools, "TaskCreate", "TaskUpdate", "TaskClaim", "TaskComplete", "TaskRelease"];
const needsTaskid = ["TaskGet", "TaskUpdate", "TaskComplete", "TaskRelease"];
const agentName = /^[A-Za-z0-9_.:@/-]{1,64}$/;
const statuses = ["pending", "inprogress", "completed", "deleted"];
const idFields: Json = {
  "compact.started": "compact_id",
  "compact.finished": "compact_id",
  "compact.failed": "compact_id",
  "session.restore": "restore_id",
  "session.closed": "event_id",
  "agent.exited": "event_id",
};

export class ModelPod {
  #tasks = new Map<number, Task>();
  #next = 1;
  /** Keyed by what a repeat must equal, oldest first. */
  #calls = new Map<string, RememberedCall>();
  /** Keyed by kind and id: what the first of them was answered; oldest first. */
  readonly #events = new Map<string, Expected>();

  /** Every task, as TaskList shows it. */
  get list(): readonly Json[] {
    return this.#views([...this.#tasks.values()]);
  }

  /** Takes the pod's next input. @param rest its subject after `in.` */
  answer(rest: string, data: Uint8Array): Expected {
    const read = envelopeOf(rest, data);
    if (typeof read === "string") return expected("rejected", null, read);
    const tool = rest.startsWith("call.") ? rest.slice(5) : null;
    return tool === null ? this.#event(rest, read) : this.#call(tool, read);
  }

  // Calls.

  #call(tool: string, { call_id: callId, arguments: args, agent = null, session = null }: Json): Expected {
    if (!tools.includes(tool)) return expected("result", null, "unknown_tool");
    if (agent !== null && !agentName.test(agent)) return expected("result", null, "invalid_arguments");
    const isWriting = !readingTools.includes(tool);
    const key = keyOf(callId, agent, session, tool, args);
    const restored = this.#calls.get(keyOf(callId, null, null, tool, args));
    const known = isWriting ? this.#calls.get(key) ?? (restored?.first === null ? restored : undefined) : undefined;
    if (known && this.#isStillRepeat(known, tool, args, agent)) {
      return { ...known.first ?? this.#asNow(known), isDuplicate: true };
    }
    const before = new Map(this.#tasks);
    try {
      const taskids = this.#do(tool, args, agent);
      const answer = expected("result", this.#shown(tool, args, taskids, before));
      if (isWriting && haveChanged(before, this.#tasks)) this.#remember(key, { callId, taskids, first: answer });
      return answer;
    } catch (error) {
      if (!(error instanceof No)) throw error;
      this.#tasks = before;
      return expected("result", null, error.code);
    }
  }

  #remember(key: string, call: RememberedCall): void {
    this.#calls.delete(key);
    this.#calls.set(key, call);
    dropOldest(this.#calls, callsMax);
  }

  /** A claim of whatever is ready is a repeat only while its task is still the caller's. */
  #isStillRepeat(known: RememberedCall, tool: string, args: Json, agent: string | null): boolean {
    if (tool !== "TaskClaim" || args.taskid !== undefined) return true;
    const task = this.#tasks.get(known.taskids[0] ?? 0);
    return task !== undefined && task.owner === (args.owner ?? agent ?? "agent") && isOpen(task);
  }

  #asNow({ taskids }: RememberedCall): Expected {
    const tasks = taskids.map((taskid) => this.#task(taskid));
    const [only] = tasks;
    return expected("result", tasks.length === 1 && only ? { task: this.#view(only) } : { tasks: tasks.map(brief) });
  }

  /** Does what the call asks; gives the taskids that its answer is about. */
  #do(tool: string, args: Json, agent: string | null): number[] {
    if (needsTaskid.includes(tool) && args.taskid === undefined) throw new No("invalid_arguments");
    switch (tool) {
      case "TaskCreate":
        return this.#create(args.tasks ?? [args]);
      case "TaskUpdate":
        return this.#update(args);
      case "TaskClaim":
        return [this.#claim(args, args.owner ?? agent ?? "agent")];
      case "TaskComplete": {
        const task = this.#task(args.taskid);
        if (task.status !== "inprogress") throw new No("wrong_status");
        if (task.owner && agent && task.owner !== agent) throw new No("not_owner");
        return [this.#set(task, { status: "completed" })];
      }
      case "TaskRelease": {
        const task = this.#task(args.taskid);
        if (task.status !== "inprogress" && !(task.status === "pending" && task.owner)) throw new No("wrong_status");
        const isAnothers = task.owner && agent && task.owner !== agent;
        if (isAnothers && !(args.force && args.reason)) throw new No("not_owner");
        return [this.#set(task, { status: "pending", owner: null })];
      }
      case "TaskGet":
        return [this.#task(args.taskid).taskid];
      case "TaskList":
        return [...this.#tasks.values()].filter((task) =>
          (!args.status || task.status === args.status) && (!args.owner || task.owner === args.owner) &&
          (!args.ready || this.#isReady(task))
        ).map(({ taskid }) => taskid);
      default:
        throw new Error(`Cannot do ${tool}: the model does not know it`);
    }
  }

  #create(items: readonly Json[]): number[] {
    if (items.some(({ subject }) => !subject)) throw new No("invalid_arguments");
    const first = this.#next;
    const taskids = items.map((_, index) => first + index);
    const before = new Set(this.#tasks.keys());
    for (const [index, { subject, description = "", owner = null, blockedBy = [] }] of items.entries()) {
      const blockers = blockedBy.map((end: Json) => {
        const blocker = typeof end === "string" ? taskids[Number(end.slice(1)) - 1] : before.has(end) && end;
        if (!blocker) throw new No("invalid_arguments");
        return blocker;
      });
      const task = { taskid: first + index, status: "pending", subject, description, owner, blockedBy: sorted(blockers) };
      this.#tasks.set(task.taskid, task);
    }
    this.#next += items.length;
    return taskids;
  }

  #update(args: Json): number[] {
    if (args.status !== undefined && !statuses.includes(args.status)) throw new No("invalid_arguments");
    const { taskid, if_status, addBlockedBy = [], removeBlockedBy = [], ...fields } = args;
    if (Object.keys(args).every((name) => name === "taskid" || name === "if_status")) {
      throw new No("invalid_arguments");
    }
    const task = this.#task(taskid);
    if (if_status && task.status !== if_status) throw new No("wrong_status");
    if (addBlockedBy.some((end: number) => !this.#tasks.has(end))) throw new No("invalid_arguments");
    const kept = task.blockedBy.filter((end) => !removeBlockedBy.includes(end));
    const blockedBy = sorted([...kept, ...addBlockedBy]);
    if (addBlockedBy.some((end: number) => !kept.includes(end) && this.#waitsFor(end, taskid))) {
      throw new No("dependency_cycle");
    }
    const owner = fields.status === "pending" && task.status !== "pending" ? { owner: null } : {};
    if (fields.owner === "") fields.owner = null;
    return [this.#set(task, { ...owner, ...fields, blockedBy })];
  }

  #claim(args: Json, owner: string): number {
    const task = args.taskid === undefined ? this.#nextFor(owner) : this.#task(args.taskid);
    const isMine = task.owner === owner;
    if (isMine && task.status === "inprogress") return task.taskid;
    if (!isOpen(task)) throw new No("wrong_status");
    if (task.owner && !isMine) throw new No("already_claimed");
    if (task.status === "inprogress") throw new No("wrong_status");
    if (this.#openBlockers(task).length > 0) throw new No("blocked");
    const isBusy = [...this.#tasks.values()].some((other) => other !== task && other.owner === owner && isOpen(other));
    if (args.exclusive && isBusy) throw new No("already_claimed");
    return this.#set(task, { status: "inprogress", owner });
  }

  #nextFor(owner: string): Task {
    const tasks = [...this.#tasks.values()];
    const own = tasks.filter((task) => task.owner === owner);
    const next = own.find(({ status }) => status === "inprogress") ??
      own.find((task) => task.status === "pending" && this.#openBlockers(task).length === 0) ??
      tasks.find((task) => this.#isReady(task));
    if (!next) throw new No("nothing_ready");
    return next;
  }

  // Events.

  #event(kind: string, body: Json): Expected {
    const key = `${kind} ${body[idFields[kind]]}`;
    const known = this.#events.get(key);
    if (kind === "compact.started") this.#rememberEvent(key, expected("snapshot", null));
    if (kind === "compact.started") return expected("snapshot", { tasks: this.list });
    if (kind === "compact.finished") this.#rememberEvent(key, expected("inject", null));
    if (kind === "compact.finished") return { ...expected("inject", { tasks: this.list }), isDuplicate: known !== undefined };
    if (known) return { ...known, isDuplicate: true };
    const answer = this.#decideEvent(kind, body);
    this.#rememberEvent(key, answer);
    return answer;
  }

  /** The last of each kind: kinds are told apart by their keys' first words. */
  #rememberEvent(key: string, answer: Expected): void {
    if (this.#events.has(key)) return;
    this.#events.set(key, answer);
    const [kind = ""] = key.split(" ");
    const ofKind = [...this.#events.keys()].filter((other) => other.startsWith(`${kind} `));
    if (ofKind.length > eventsMax) this.#events.delete(ofKind[0] ?? "");
  }

  #decideEvent(kind: string, body: Json): Expected {
    switch (kind) {
      case "session.closed":
        this.#empty();
        return expected("event", {});
      case "agent.exited": {
        const left = [...this.#tasks.values()].filter((task) => task.owner === body.agent && isOpen(task));
        for (const task of left) this.#set(task, { status: "pending", owner: null });
        return expected("event", { released: left.map(brief) });
      }
      case "session.restore":
        if (body.mode !== "replace" && this.#tasks.size > 0) return expected("event", {}, "wrong_status");
        return this.#restore(body.entries);
      default:
        return expected("event", {});
    }
  }

  #restore(entries: readonly Json[]): Expected {
    this.#empty();
    let applied = 0;
    const seen = new Set<string>();
    for (const { type, text, call_id: callId, name, arguments: args, agent = null } of entries) {
      if (type === "message") {
        const { tasks } = JSON.parse(/```json\n([^]*)\n```/.exec(text)?.[1] ?? "");
        this.#tasks = new Map(tasks.map((task: Json) => [task.taskid, { owner: null, blockedBy: [], ...task }]));
        this.#next = 1 + Math.max(0, ...this.#tasks.keys());
        continue;
      }
      const key = keyOf(callId, null, null, name, args);
      const before = new Map(this.#tasks);
      if (seen.has(key)) continue;
      seen.add(key);
      try {
        const taskids = this.#do(name, args, agent);
        applied++;
        if (haveChanged(before, this.#tasks)) this.#remember(key, { callId, taskids, first: null });
      } catch (error) {
        if (!(error instanceof No)) throw error;
        this.#tasks = before;
      }
    }
    return expected("event", { applied });
  }

  #empty(): void {
    this.#tasks.clear();
    this.#calls.clear();
    this.#next = 1;
  }

  // Tasks.

  #task(taskid: number): Task {
    const task = this.#tasks.get(taskid);
    if (!task) throw new No("task_not_found");
    return task;
  }

  #set(task: Task, fields: Partial<Task>): number {
    const after = { ...task, ...fields };
    if (JSON.stringify(after) !== JSON.stringify(task)) this.#tasks.set(task.taskid, after);
    return task.taskid;
  }

  #openBlockers({ blockedBy }: Task): readonly number[] {
    return blockedBy.filter((end) => isOpen(this.#task(end)));
  }

  #isReady(task: Task): boolean {
    return task.status === "pending" && task.owner === null && this.#openBlockers(task).length === 0;
  }

  #waitsFor(from: number, to: number, seen = new Set<number>()): boolean {
    if (from === to) return true;
    seen.add(from);
    return this.#task(from).blockedBy.some((end) => !seen.has(end) && this.#waitsFor(end, to, seen));
  }

  #view(task: Task): Json {
    return this.#views([task])[0];
  }

  #views(tasks: readonly Task[], isBrief = false): readonly Json[] {
    const blocks = new Map<number, number[]>(tasks.map(({ taskid }) => [taskid, []]));
    for (const { taskid, blockedBy } of this.#tasks.values()) for (const end of blockedBy) blocks.get(end)?.push(taskid);
    return tasks.map((task) => this.#shownTask(task, blocks.get(task.taskid) ?? [], isBrief));
  }

  #shownTask(task: Task, blocks: readonly number[], isBrief: boolean): Json {
    const { taskid, status, subject, description, owner, blockedBy } = task;
    const openBlockers = this.#openBlockers(task);
    return {
      taskid,
      status,
      subject,
      ...(isBrief ? {} : { description }),
      ...(owner === null ? {} : { owner }),
      ...(blockedBy.length === 0 ? {} : { blockedBy }),
      ...(blocks.length === 0 ? {} : { blocks }),
      ...(openBlockers.length === 0 ? {} : { openBlockers }),
    };
  }

  #shown(tool: string, args: Json, taskids: readonly number[], before: ReadonlyMap<number, Task>): Json {
    const tasks = taskids.map((taskid) => this.#task(taskid));
    if (tool === "TaskList") return { tasks: this.#views(tasks, args.brief), counts: this.#counts() };
    const unblocked = this.#unblocked(before);
    const more = unblocked.length === 0 ? {} : { unblocked };
    if (args.tasks) return { tasks: tasks.map(brief), ...more };
    return { task: this.#view(this.#task(taskids[0] ?? 0)), ...more };
  }

  #counts(): Json {
    return Object.fromEntries(
      statuses.map((status) => [status, [...this.#tasks.values()].filter((task) => task.status === status).length]),
    );
  }

  /** Ready now, with an open blocker before. */
  #unblocked(before: ReadonlyMap<number, Task>): readonly Json[] {
    return [...this.#tasks.values()].filter((task) =>
      this.#isReady(task) && before.get(task.taskid)?.blockedBy.some((end) => isOpen(before.get(end)))
    ).map(brief);
  }
}

function expected(kind: string, shown: Json, code: string | null = null): Expected {
  return { kind, isDuplicate: false, code, shown };
}

/** What the input says, or why it is rejected. */
function envelopeOf(rest: string, data: Uint8Array): Json {
  const idField = rest.startsWith("call.") ? "call_id" : idFields[rest];
  if (idField === undefined) return "unknown_input";
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    return "not_utf8";
  }
  try {
    const body = JSON.parse(text);
    if (typeof body !== "object" || body === null) return "bad_envelope";
    if (body.v !== undefined && body.v !== 1) return "unsupported_version";
    return typeof body[idField] === "string" && body[idField] !== "" ? body : "bad_envelope";
  } catch {
    return "not_json";
  }
}

function keyOf(callId: string, agent: string | null, session: string | null, tool: string, args: Json): string {
  return JSON.stringify([callId, agent, session, tool, args]);
}

function isOpen(task: Task | undefined): boolean {
  return task?.status === "pending" || task?.status === "inprogress";
}

function brief({ taskid, subject }: Task): { readonly taskid: number; readonly subject: string } {
  return { taskid, subject };
}

function sorted(taskids: readonly number[]): readonly number[] {
  return [...new Set(taskids)].sort((a, b) => a - b);
}

/** Tasks are values: what did not change is the same one. */
function haveChanged(before: ReadonlyMap<number, Task>, after: ReadonlyMap<number, Task>): boolean {
  return before.size !== after.size || [...after].some(([taskid, task]) => before.get(taskid) !== task);
}

function dropOldest<K, V>(map: Map<K, V>, most: number): void {
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
