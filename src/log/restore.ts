/** Rebuilds a store from a session's own history (SPEC §7): the calls in order, the last snapshot over all before. */
import { decide } from "../tasks/decide.ts";
import {
  callsRememberedMax,
  restoredCallsBytesMax,
  storeCostBytesMax,
  storeTasksMax,
} from "../tasks/limits.ts";
import { isRefusal, type Refusal, refuse } from "../tasks/refusal.ts";
import { type Change, type Delta, emptyStore, findTask, type TaskStore } from "../tasks/store.ts";
import type { Task } from "../tasks/task.ts";
import { isJsonObject } from "../tools/arguments.ts";
import { refOf } from "../tools/fields.ts";
import { isReadingTool, toolInHistory, type ToolName } from "../tools/names.ts";
import { readCall } from "../tools/read_call.ts";
import { isAgentName, isId } from "../tools/tokens.ts";
import { callHash } from "./call_hash.ts";
import type { CallMark } from "./memory.ts";
import { isSnapshotText, readSnapshotText } from "./snapshot_block.ts";

/** Why an entry had no effect. */
type PassedOver = "refused" | "unreadable" | "seen_before" | "over_limits" | "failed";

export interface Restored {
  readonly store: TaskStore;
  readonly delta: Delta;
  /** Those to remember, oldest first. */
  readonly calls: readonly RestoredCall[];
  readonly applied: number;
  readonly snapshots: number;
  readonly passedOver: { readonly [why in PassedOver]: number };
  /** Where a result named another taskid than the count would have given, the first few. */
  readonly differing: readonly {
    readonly call_id: string;
    readonly given: number;
    readonly counted: number;
  }[];
}

interface RestoreRequest {
  readonly entries: readonly unknown[];
  readonly mode: "replace" | "into_empty";
}

export function restore(store: TaskStore, request: RestoreRequest, atMs: number): Restored | Refusal {
  if (request.mode === "into_empty" && store.tasks.length > 0) {
    return refuse(
      "wrong_status",
      `a restore goes into an empty store unless its mode is "replace": this one has ${store.tasks.length} task(s)`,
      { tasks: store.tasks.length },
    );
  }
  const restored = new History(request.entries, atMs).fold();
  const isNothing = restored.applied === 0 && restored.snapshots === 0 && restored.passedOver.unreadable > 0;
  return isNothing && store.tasks.length > 0
    ? refuse("invalid_arguments", "nothing of these entries could be read: the store is left as it was", {
      unreadable: restored.passedOver.unreadable,
    })
    : restored;
}

/** What the event says of a restore besides the changes; `calls` lets a replay do without the entries. */
export function restoreReport(restored: Restored): { readonly [name: string]: unknown } {
  return {
    applied: restored.applied,
    snapshots: restored.snapshots,
    passed_over: restored.passedOver,
    differing: restored.differing,
    calls: restored.calls.map(reportOf),
  };
}

type RestoredCall = Omit<CallMark, "inputSeq" | "outputSeq">;

function reportOf({ callId, hash, taskids }: RestoredCall): { readonly [name: string]: unknown } {
  return { call_id: callId, hash, taskids };
}

/** The newest calls, as many as a store remembers and the event can carry; oldest first. */
function newestOf(calls: readonly RestoredCall[]): readonly RestoredCall[] {
  const newest = calls.slice(-callsRememberedMax);
  let bytes = 0;
  const firstKept = newest.findLastIndex((call) => {
    bytes += JSON.stringify(reportOf(call)).length + 1;
    return bytes > restoredCallsBytesMax;
  }) + 1;
  return newest.slice(firstKept);
}

interface Result {
  readonly isError: boolean;
  readonly taskid: number | null;
}

interface Call {
  readonly callId: string;
  readonly tool: ToolName;
  readonly arguments: unknown;
  readonly agent: string | null;
  /** Where no result is recorded: null. */
  result: Result | null;
}

type Step = Call | { readonly snapshotText: string } | "unreadable";

const differingShownMax = 20;

class History {
  readonly #steps: readonly Step[];
  readonly #atMs: number;
  #store = emptyStore();
  readonly #calls: RestoredCall[] = [];
  readonly #seen = new Set<string>();
  readonly #passedOver = { refused: 0, unreadable: 0, seen_before: 0, over_limits: 0, failed: 0 };
  readonly #differing: { call_id: string; given: number; counted: number }[] = [];
  #applied = 0;
  #snapshots = 0;

  constructor(entries: readonly unknown[], atMs: number) {
    this.#steps = stepsOf(entries);
    this.#atMs = atMs;
  }

  fold(): Restored {
    for (const step of this.#steps) {
      if (step === "unreadable") this.#passedOver.unreadable++;
      else if ("snapshotText" in step) this.#replace(step.snapshotText);
      else this.#apply(step);
    }
    return {
      store: this.#store,
      delta: {
        reset: { next_taskid: this.#store.nextTaskid },
        changes: this.#store.tasks.map(changeThatMakes),
      },
      calls: newestOf(this.#calls),
      applied: this.#applied,
      snapshots: this.#snapshots,
      passedOver: this.#passedOver,
      differing: this.#differing,
    };
  }

  #replace(text: string): void {
    const store = readSnapshotText(text, this.#atMs);
    if (store === null) this.#passedOver.unreadable++;
    else if (store.tasks.length > storeTasksMax || store.costBytes > storeCostBytesMax) {
      this.#passedOver.over_limits++;
    } else {
      this.#store = store;
      this.#snapshots++;
    }
  }

  #apply(call: Call): void {
    if (call.result?.isError) {
      this.#passedOver.failed++;
      return;
    }
    const read = readCall(call.tool, call.arguments);
    if (isRefusal(read)) {
      this.#passedOver.unreadable++;
      return;
    }
    const { callId, tool } = call;
    const hash = callHash({ callId, agent: null, session: null, tool, args: read.args });
    if (this.#seen.has(hash)) {
      this.#passedOver.seen_before++;
      return;
    }
    this.#seen.add(hash);

    const counted = this.#store.nextTaskid;
    const given = read.command.type === "create" && !read.command.isBatch
      ? call.result?.taskid ?? counted
      : counted;
    const isFree = given === counted || !findTask(this.#store, given);
    const base = isFree ? { ...this.#store, nextTaskid: given } : this.#store;
    const decision = decide(base, read.command, { agent: call.agent, atMs: this.#atMs });
    if (isRefusal(decision)) {
      this.#passedOver[decision.code === "store_full" ? "over_limits" : "refused"]++;
      return;
    }
    if (given !== counted && this.#differing.length < differingShownMax) {
      this.#differing.push({ call_id: callId, given, counted });
    }
    this.#store = { ...decision.after, nextTaskid: Math.max(counted, decision.after.nextTaskid) };
    this.#applied++;
    if (decision.changes.length === 0) return;
    const taskids = decision.tasks.map((task) => task.taskid);
    this.#calls.push({ hash, callId, taskids, isRestored: true });
  }
}

/** The entries that matter, each call with its result: a result belongs to the first open call of its id (R24). */
function stepsOf(entries: readonly unknown[]): readonly Step[] {
  const steps: Step[] = [];
  /** Keyed by call id: calls without a result yet, in order; null for calls that are none of ours. */
  const open = new Map<string, (Call | null)[]>();
  for (const entry of entries) {
    if (!isJsonObject(entry)) steps.push("unreadable");
    else if (entry.type === "message") {
      const { role, text } = entry;
      if (role === "system" && typeof text === "string" && isSnapshotText(text)) {
        steps.push({ snapshotText: text });
      }
    } else if (entry.type === "tool_call") {
      const call = callOf(entry);
      if (call === "unreadable" || call !== null && !isReadingTool(call.tool)) steps.push(call);
      if (isId(entry.call_id)) {
        const calls = open.get(entry.call_id) ?? [];
        calls.push(call === "unreadable" ? null : call);
        open.set(entry.call_id, calls);
      }
    } else if (entry.type === "tool_result" && isId(entry.call_id)) {
      const call = open.get(entry.call_id)?.shift();
      const ref = refOf(entry.taskid);
      const taskid = ref && "taskid" in ref ? ref.taskid : null;
      if (call) call.result = { isError: entry.is_error === true, taskid };
    }
  }
  return steps;
}

/** Null for a call of a tool that is none of ours. */
function callOf(entry: { readonly [name: string]: unknown }): Call | null | "unreadable" {
  const { name, call_id: callId, agent } = entry;
  if (typeof name !== "string") return "unreadable";
  const tool = toolInHistory(name);
  if (tool === null) return null;
  if (!isId(callId)) return "unreadable";
  return {
    callId,
    tool,
    arguments: entry.arguments,
    agent: typeof agent === "string" && isAgentName(agent) ? agent : null,
    result: null,
  };
}

/** The change that makes the task as it is. */
export function changeThatMakes(task: Task): Change {
  return {
    taskid: task.taskid,
    status: task.status,
    subject: task.subject,
    description: task.description,
    ...(task.activeForm === null ? {} : { activeForm: task.activeForm }),
    ...(task.owner === null ? {} : { owner: task.owner }),
    ...(task.blockedBy.length === 0 ? {} : { blockedBy: task.blockedBy }),
    ...(task.metadata === null ? {} : { metadata: task.metadata }),
  };
}
