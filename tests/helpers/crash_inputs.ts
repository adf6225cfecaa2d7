/** Random inputs of a pod, in the strict forms that `crash_model.ts` knows, with a few broken ones among them. */
import type { Chance } from "./chance.ts";
import type { Json } from "./pod.ts";

/** What is published, and published again where it is a repeat. */
export interface RandomInput {
  readonly subject: string;
  readonly data: Uint8Array;
}

const agents = ["a1", "a2", "a3"];
const statuses = ["pending", "inprogress", "completed", "deleted"];
/** Earlier inputs of a pod that may be repeated. */
const historyMax = 2_000;
/** A repeat is of one of the last few more often than of an old one. */
const recentMax = 20;

export class PodInputs {
  readonly pod: string;
  readonly #chance: Chance;
  /** Whether its store is never emptied and grows slowly, so that what is remembered of its calls runs over. */
  readonly #isLongLived: boolean;
  readonly #history: { readonly rest: string; readonly body: Json }[] = [];
  #count = 0;
  /** About how many tasks the pod has now: calls name one of them, or one just beyond. */
  #tasks = 0;

  constructor(pod: string, chance: Chance, { isLongLived = false } = {}) {
    this.pod = pod;
    this.#chance = chance;
    this.#isLongLived = isLongLived;
  }

  next(): RandomInput {
    return this.#chance.weighted<() => RandomInput>([
      [70, () => this.#remembered(...this.#call())],
      [12, () => this.#repeat()],
      [4, () => this.#otherContent()],
      [8, () => this.#remembered(...this.#event())],
      [3, () => this.#malformed()],
      [0.3, () => ({ subject: "tasks.no$pod.in.call.TaskList", data: encode({ call_id: "c" }) })],
    ])();
  }

  #input(rest: string, data: Uint8Array): RandomInput {
    return { subject: `tasks.${this.pod}.in.${rest}`, data };
  }

  #remembered(rest: string, body: Json): RandomInput {
    this.#history.push({ rest, body });
    if (this.#history.length > historyMax) this.#history.shift();
    return this.#input(rest, encode(body));
  }

  #id(): string {
    return `${this.pod}-${++this.#count}`;
  }

  #call(): [rest: string, body: Json] {
    const chance = this.#chance;
    const [tool, args] = this.#toolCall();
    const body: Json = { call_id: this.#id(), arguments: args };
    if (chance.percent(60)) body.agent = chance.pick(agents);
    if (chance.percent(1)) body.agent = "no agent!";
    if (chance.percent(20)) body.session = chance.pick(["s1", "s2"]);
    return [`call.${tool}`, body];
  }

  #toolCall(): [tool: string, args: Json] {
    const chance = this.#chance;
    return chance.weighted<() => [string, Json]>([
      [this.#isLongLived ? 2 : 24, () => ["TaskCreate", this.#newTask()]],
      [this.#isLongLived ? 0 : 4, () => ["TaskCreate", { tasks: this.#newTasks() }]],
      [24, () => ["TaskUpdate", this.#update()]],
      [14, () => ["TaskClaim", this.#claim()]],
      [12, () => ["TaskComplete", { taskid: this.#taskid() }]],
      [8, () => ["TaskRelease", this.#release()]],
      [6, () => ["TaskGet", { taskid: this.#taskid() }]],
      [4, () => ["TaskList", this.#filter()]],
      [1, () => ["TaskDestroy", { taskid: 1 }]],
      [1, () => [chance.pick(["TaskGet", "TaskUpdate", "TaskComplete", "TaskCreate"]), { owner: "a1" }]],
    ])();
  }

  /** Often one that is there. */
  #taskid(): number {
    return this.#chance.between(1, Math.max(2, this.#tasks + 1));
  }

  #newTask(): Json {
    const chance = this.#chance;
    this.#tasks++;
    const task: Json = { subject: `task ${this.#count}`, description: chance.percent(30) ? "ü\n```" : "" };
    if (chance.percent(25)) task.blockedBy = [...new Set([this.#taskid(), this.#taskid()])];
    if (chance.percent(10)) task.owner = chance.pick(agents);
    return task;
  }

  #newTasks(): Json[] {
    return Array.from({ length: this.#chance.between(1, 4) }, (_, index) => {
      const task = this.#newTask();
      return index > 0 && this.#chance.percent(50) ? { ...task, blockedBy: [`$${index}`] } : task;
    });
  }

  #update(): Json {
    const chance = this.#chance;
    const args: Json = { taskid: this.#taskid() };
    if (chance.percent(60)) args.status = chance.pick(statuses);
    if (chance.percent(2)) args.status = "nearly";
    if (chance.percent(20)) args.subject = `renamed ${this.#count}`;
    if (chance.percent(15)) args.description = `more ${this.#count}`;
    if (chance.percent(10)) args.owner = chance.pick([...agents, ""]);
    if (chance.percent(15)) args.addBlockedBy = [this.#taskid()];
    if (chance.percent(10)) args.removeBlockedBy = [this.#taskid()];
    if (chance.percent(10)) args.if_status = chance.pick(statuses);
    return args;
  }

  #claim(): Json {
    const chance = this.#chance;
    return {
      ...(chance.percent(50) ? { taskid: this.#taskid() } : {}),
      ...(chance.percent(15) ? { owner: chance.pick(agents) } : {}),
      ...(chance.percent(15) ? { exclusive: true } : {}),
    };
  }

  #release(): Json {
    const isForced = this.#chance.percent(40);
    return { taskid: this.#taskid(), ...(isForced ? { force: true, reason: "stuck" } : {}) };
  }

  #filter(): Json {
    const chance = this.#chance;
    return {
      ...(chance.percent(20) ? { status: chance.pick(statuses) } : {}),
      ...(chance.percent(10) ? { owner: chance.pick(agents) } : {}),
      ...(chance.percent(10) ? { ready: true } : {}),
      ...(chance.percent(20) ? { brief: true } : {}),
    };
  }

  #event(): [rest: string, body: Json] {
    const chance = this.#chance;
    const kind = chance.weighted([
      [20, "compact.started"],
      [20, "compact.finished"],
      [10, "compact.failed"],
      [25, "agent.exited"],
      [this.#isLongLived ? 0 : 10, "session.restore"],
      [this.#isLongLived ? 0 : 6, "session.closed"],
    ]);
    switch (kind) {
      case "agent.exited":
        return [kind, { event_id: this.#id(), agent: chance.pick(agents) }];
      case "session.closed":
        this.#tasks = 0;
        return [kind, { event_id: this.#id() }];
      case "session.restore":
        return [kind, this.#restore()];
      default:
        return [kind, { compact_id: `c${chance.below(4)}-${Math.floor(this.#count / 40)}`, session: "s1" }];
    }
  }

  #restore(): Json {
    const chance = this.#chance;
    this.#tasks = 3;
    const tasks = Array.from({ length: chance.below(3) }, (_, index) => {
      return {
        taskid: index + 1,
        status: chance.pick(statuses),
        subject: `kept ${index + 1}`,
        description: "",
      };
    });
    const snapshot = `[Session TaskStore snapshot]\n\n\`\`\`json\n${JSON.stringify({ tasks })}\n\`\`\`\n`;
    const others = Array.from({ length: chance.below(6) }, () => {
      const [rest, { call_id, arguments: args }] = this.#call();
      return { type: "tool_call", call_id, name: rest.slice(5), arguments: args };
    }).filter(({ name }) => name === "TaskCreate" || name === "TaskUpdate");
    // One that can be read, so that there is something to restore.
    const first = {
      type: "tool_call",
      call_id: this.#id(),
      name: "TaskCreate",
      arguments: { subject: "restored" },
    };
    const calls = [first, ...others];
    const message = { type: "message", role: "system", text: snapshot };
    const entries = [...(chance.percent(40) ? [message] : []), ...calls];
    for (const { name, ...body } of calls) {
      const { call_id, arguments: args } = body;
      // So that restored calls are repeated, too.
      this.#history.push({ rest: `call.${name}`, body: { call_id, arguments: args, agent: "a1" } });
    }
    return { restore_id: this.#id(), entries, ...(chance.percent(60) ? { mode: "replace" } : {}) };
  }

  #repeat(): RandomInput {
    const chance = this.#chance;
    const count = this.#history.length;
    if (count === 0) return this.#remembered(...this.#call());
    const back = chance.percent(80) ? chance.below(Math.min(count, recentMax)) : chance.below(count);
    const { rest, body } = this.#history[count - 1 - back] ?? { rest: "", body: {} };
    return this.#input(rest, encode(body));
  }

  /** An id that is used again for something else, as models do. */
  #otherContent(): RandomInput {
    const [rest, body] = this.#call();
    const calls = this.#history.filter((past) => past.rest.startsWith("call."));
    const past = calls[calls.length - 1 - this.#chance.below(Math.min(calls.length, recentMax))];
    return this.#remembered(rest, past ? { ...body, call_id: past.body.call_id } : body);
  }

  #malformed(): RandomInput {
    return this.#chance.pick<() => RandomInput>([
      () => this.#input("call.TaskCreate", Uint8Array.of(0x7b, 0xff, 0xfe)),
      () => this.#input("call.TaskCreate", new TextEncoder().encode('{"call_id": "x", ')),
      () => this.#input("call.TaskUpdate", encode({ arguments: { taskid: 1, status: "deleted" } })),
      () => this.#input("call.TaskList", encode({ v: 2, call_id: "c" })),
      () => this.#input("session.closed", new Uint8Array()),
      () => this.#input("session.exploded", encode({ event_id: "e" })),
    ])();
  }
}

function encode(body: Json): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}
