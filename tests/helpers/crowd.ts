/**
 * Several pods that make calls at once while servers and workers come and go, and the lists that their calls must
 * lead to: a model of its own, by the order in which the stream acknowledged them.
 */
import { assertEquals } from "@std/assert";
import { type Json, Pod } from "./pod.ts";
import { everyInputHasOneOutput, type Server, untilAnswered } from "./session_log.ts";
import { awaitedLater, within } from "./within.ts";

interface Sent {
  readonly seq: number;
  readonly tool: string;
  readonly args: Json;
}

/** Calls that one pod has on the way at once. */
const pipelined = 8;

export class Crowd implements AsyncDisposable {
  readonly #server: Server;
  readonly pods: readonly Pod[];
  /** Keyed by pod id. */
  readonly #sent = new Map<string, Sent[]>();
  #count = 0;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor(server: Server, pods: readonly Pod[]) {
    this.#server = server;
    this.pods = pods;
  }

  static async join(server: Server, pods: number): Promise<Crowd> {
    return new Crowd(server, await Promise.all(Array.from({ length: pods }, () => Pod.join(server))));
  }

  /** Each pod sends so many calls; resolves when all are acknowledged, and may be awaited later. */
  send(callsEach: number): Promise<void> {
    return awaitedLater(
      Promise.all(this.pods.map((pod) => this.#sendOf(pod, callsEach))).then(() => {}),
    );
  }

  async #sendOf(pod: Pod, calls: number): Promise<void> {
    const sent = this.#sent.get(pod.id) ?? [];
    this.#sent.set(pod.id, sent);
    let next = 0;
    const sendSome = async (): Promise<void> => {
      while (next < calls) {
        const n = next++;
        const [tool, args] = n % 3 === 2
          ? ["TaskUpdate", { taskid: n - 1, status: "completed" }]
          : ["TaskCreate", { subject: `task ${sent.length} ${n}` }];
        sent.push({ seq: await pod.sendCall(tool, args), tool, args });
        this.#acknowledged();
      }
    };
    await Promise.all(Array.from({ length: pipelined }, sendSome));
  }

  #acknowledged(): void {
    this.#count++;
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (count > this.#count) return true;
      resolve();
      return false;
    });
  }

  /** Resolves when so many calls of the crowd are acknowledged. */
  async whenAcknowledged(count: number): Promise<void> {
    if (count <= this.#count) return;
    await within(
      new Promise<void>((resolve) => this.#waiting.push({ count, resolve })),
      () => `${count} acknowledged calls: got ${this.#count}`,
    );
  }

  /** Every call has its one output, and every list is what the calls make it. */
  async assertAnswered(): Promise<void> {
    await untilAnswered(this.#server, [...this.#sent.values()].flat().map(({ seq }) => seq));
    for (const pod of this.pods) {
      const inOrder = (this.#sent.get(pod.id) ?? []).toSorted((a, b) => a.seq - b.seq);
      const { data } = await pod.recorded(await pod.sendCall("TaskList"));
      const { result } = JSON.parse(new TextDecoder().decode(data));
      assertEquals(result.structuredContent.tasks, tasksAfter(inOrder), `list of ${pod.id}`);
    }
    await everyInputHasOneOutput(this.#server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.pods.map((pod) => pod[Symbol.asyncDispose]()));
  }
}

function tasksAfter(calls: readonly Sent[]): Json[] {
  const tasks: Json[] = [];
  for (const { tool, args } of calls) {
    const known = tasks[args.taskid - 1];
    if (tool === "TaskCreate") {
      tasks.push({ taskid: tasks.length + 1, status: "pending", subject: args.subject, description: "" });
    } else if (known) known.status = args.status;
  }
  return tasks;
}
