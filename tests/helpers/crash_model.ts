/**
 * What the inputs of a pod must lead to: SPEC §3, §6 and §7 written down a second time, made from the page and not from
 * `src`, for the forms that `crash_inputs.ts` sends. It knows nothing of outputs.
 */
import { brief, claimantOf, isOpen, ModelBoard, No } from "./crash_board.ts";
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

interface RememberedCall {
  readonly taskids: readonly number[];
  /** Null for a restored call: its answer is the task as it is. */
  readonly first: Expected | null;
}

const callsMax = 1_024;
const eventsMax = 256;
const readingTools = ["TaskList", "TaskGet"];
const tools = [...readingTools, "TaskCreate", "TaskUpdate", "TaskClaim", "TaskComplete", "TaskRelease"];
const agentName = /^[A-Za-z0-9_.:@/-]{1,64}$/;
const idFields: Json = {
  "compact.started": "compact_id",
  "compact.finished": "compact_id",
  "compact.failed": "compact_id",
  "session.restore": "restore_id",
  "session.closed": "event_id",
  "agent.exited": "event_id",
};

export class ModelPod {
  readonly #board = new ModelBoard();
  /** Keyed by what a repeat must equal, oldest first. */
  readonly #calls = new Map<string, RememberedCall>();
  /** Keyed by kind, then by id: what the first of them was answered, oldest first. */
  readonly #events = new Map<string, Map<string, Expected>>();

  /** Every task, as TaskList shows it. */
  get list(): readonly Json[] {
    return this.#board.views();
  }

  /** Takes the pod's next input. @param rest its subject after `in.` */
  answer(rest: string, data: Uint8Array): Expected {
    const read = envelopeOf(rest, data);
    if (typeof read === "string") return expected("rejected", null, read);
    return rest.startsWith("call.") ? this.#call(rest.slice(5), read) : this.#event(rest, read);
  }

  #call(tool: string, { call_id: callId, arguments: args, agent = null, session = null }: Json): Expected {
    if (!tools.includes(tool)) return expected("result", null, "unknown_tool");
    if (agent !== null && !agentName.test(agent)) return expected("result", null, "invalid_arguments");
    const isWriting = !readingTools.includes(tool);
    const key = keyOf(callId, agent, session, tool, args);
    const restored = this.#calls.get(keyOf(callId, null, null, tool, args));
    const found = this.#calls.get(key) ?? (restored?.first === null ? restored : undefined);
    if (isWriting && found && this.#isStillRepeat(found, tool, args, agent)) {
      return { ...found.first ?? this.#asNow(found), isDuplicate: true };
    }
    const before = this.#board.tasks;
    try {
      const taskids = this.#board.do(tool, args, agent);
      const unblocked = this.#board.unblockedSince(before);
      const answer = expected("result", {
        ...this.#shown(tool, args, taskids),
        ...(unblocked.length === 0 ? {} : { unblocked }),
      });
      if (isWriting && this.#board.hasChangedSince(before)) this.#remember(key, { taskids, first: answer });
      return answer;
    } catch (error) {
      if (!(error instanceof No)) throw error;
      this.#board.restore(before);
      return expected("result", null, error.code);
    }
  }

  #remember(key: string, call: RememberedCall): void {
    this.#calls.delete(key);
    this.#calls.set(key, call);
    dropOldest(this.#calls, callsMax);
  }

  /** A claim of whatever is ready is a repeat only while its task is still the caller's. */
  #isStillRepeat({ taskids }: RememberedCall, tool: string, args: Json, agent: string | null): boolean {
    if (tool !== "TaskClaim" || args.taskid !== undefined) return true;
    const task = this.#board.tasks.get(taskids[0] ?? 0);
    return task?.owner === claimantOf(args, agent) && isOpen(task);
  }

  #shown(tool: string, args: Json, taskids: readonly number[]): Json {
    if (tool === "TaskList") {
      return { tasks: this.#board.views(taskids, args.brief), counts: this.#board.counts() };
    }
    if (args.tasks) return { tasks: taskids.map((taskid) => brief(this.#board.get(taskid))) };
    return { task: this.#board.views(taskids)[0] };
  }

  #asNow({ taskids }: RememberedCall): Expected {
    return expected("result", this.#shown("", taskids.length === 1 ? {} : { tasks: [] }, taskids));
  }

  #event(kind: string, body: Json): Expected {
    const id = body[idFields[kind]];
    const known = this.#events.get(kind)?.get(id);
    if (kind.startsWith("compact.") && kind !== "compact.failed") {
      const answer = expected(kind === "compact.started" ? "snapshot" : "inject", { tasks: this.list });
      this.#rememberEvent(kind, id, answer);
      return { ...answer, isDuplicate: kind === "compact.finished" && known !== undefined };
    }
    if (known) return { ...known, isDuplicate: true };
    const answer = this.#decideEvent(kind, body);
    this.#rememberEvent(kind, id, answer);
    return answer;
  }

  #rememberEvent(kind: string, id: string, answer: Expected): void {
    const ofKind = this.#events.get(kind) ?? new Map<string, Expected>();
    this.#events.set(kind, ofKind);
    if (ofKind.has(id)) return;
    ofKind.set(id, answer);
    dropOldest(ofKind, eventsMax);
  }

  #decideEvent(kind: string, { agent, mode, entries }: Json): Expected {
    if (kind === "agent.exited") return expected("event", { released: this.#board.exit(agent).map(brief) });
    if (kind === "compact.failed") return expected("event", {});
    if (kind === "session.restore" && mode !== "replace" && this.#board.tasks.size > 0) {
      return expected("event", {}, "wrong_status");
    }
    this.#board.empty();
    this.#calls.clear();
    return expected("event", kind === "session.restore" ? { applied: this.#restore(entries) } : {});
  }

  /** How many calls were applied. */
  #restore(entries: readonly Json[]): number {
    let applied = 0;
    const seen = new Set<string>();
    for (const { type, text, call_id: callId, name, arguments: args } of entries) {
      if (type === "message") {
        this.#board.load(JSON.parse(/```json\n([^]*)\n```/.exec(text)?.[1] ?? "").tasks);
      }
      const key = keyOf(callId, null, null, name, args);
      if (type === "message" || seen.has(key)) continue;
      seen.add(key);
      const before = this.#board.tasks;
      try {
        const taskids = this.#board.do(name, args, null);
        applied++;
        if (this.#board.hasChangedSince(before)) this.#remember(key, { taskids, first: null });
      } catch (error) {
        if (!(error instanceof No)) throw error;
        this.#board.restore(before);
      }
    }
    return applied;
  }
}

function expected(kind: string, shown: Json, code: string | null = null): Expected {
  return { kind, isDuplicate: false, code, shown };
}

/** What the input says, or why it is rejected. */
function envelopeOf(rest: string, data: Uint8Array): Json {
  const idField = rest.startsWith("call.") ? "call_id" : idFields[rest];
  if (idField === undefined) return "unknown_input";
  try {
    const body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
    if (typeof body !== "object" || body === null) return "bad_envelope";
    if (body.v !== undefined && body.v !== 1) return "unsupported_version";
    return typeof body[idField] === "string" && body[idField] !== "" ? body : "bad_envelope";
  } catch (error) {
    return error instanceof TypeError ? "not_utf8" : "not_json";
  }
}

function keyOf(
  callId: string,
  agent: string | null,
  session: string | null,
  tool: string,
  args: Json,
): string {
  return JSON.stringify([callId, agent, session, tool, args]);
}

function dropOldest<K, V>(map: Map<K, V>, most: number): void {
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
