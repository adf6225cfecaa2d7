/** Plays a case against a running worker, as a pod would. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Json, type Output, Pod } from "../helpers/pod.ts";
import { type Server, withConnection } from "../helpers/session_log.ts";
import { spawnWorker, type WorkerProcess } from "../helpers/worker_process.ts";
import type { CallStep, Case, CompactStep, EventStep, RawStep, Step } from "./cases.ts";
import { type Answer, answerOfOutput, answerOfResult, assertExpected } from "./expectation.ts";

/** A server and the worker process on it, which cases kill. */
export class Stage implements AsyncDisposable {
  readonly server: Server;
  #worker: WorkerProcess;

  private constructor(server: Server, worker: WorkerProcess) {
    this.server = server;
    this.#worker = worker;
  }

  static async open(server: Server): Promise<Stage> {
    return new Stage(server, await spawnWorker(server));
  }

  async restart(): Promise<void> {
    await this.#worker.kill();
    this.#worker = await spawnWorker(this.server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker[Symbol.asyncDispose]();
  }
}

/** The list of a case after its last step. */
export interface Played {
  readonly pod: string;
  readonly list: Json;
}

/** Throws at the first step that is answered otherwise than the case expects. */
export async function playCase(stage: Stage, { id, steps, final }: Case): Promise<Played> {
  await using pod = await Pod.join(stage.server, {
    id: `${id.replaceAll(/[^\w-]/g, "-").slice(0, 40)}-${crypto.randomUUID().slice(0, 8)}`,
  });
  const player = new Player(stage, pod);
  for (const group of turnsOf(steps)) await player.play(group);
  await player.finish();
  const { body } = await pod.call("TaskList");
  assertFinal(body.result, final);
  return { pod: pod.id, list: body.result };
}

/** Throws where the list is another one than when the case was played. */
export async function playFinal({ server }: Stage, played: Played, { final }: Case): Promise<void> {
  await using pod = await Pod.join(server, { id: played.pod });
  const { body } = await pod.call("TaskList", {}, { callId: "after" });
  assertEquals(body.result, played.list);
  assertFinal(body.result, final);
}

function assertFinal(result: Json, final: Case["final"]): void {
  const tasks = final?.map(({ blockedBy, ...task }) => blockedBy?.length ? { ...task, blockedBy } : task);
  if (tasks) assertExpected(answerOfResult(result), { ok: true, tasks }, "the list at the end");
}

type NumberedStep = Step & { readonly number: number };

/** Each step alone, but calls of one turn together. */
function turnsOf(steps: readonly Step[]): readonly NumberedStep[][] {
  const turns: NumberedStep[][] = [];
  for (const [number, step] of steps.entries()) {
    const before = turns.at(-1)?.[0];
    const isSame = "tool" in step && step.turn !== undefined && before && "tool" in before &&
      before.turn === step.turn;
    if (isSame) turns.at(-1)?.push({ ...step, number });
    else turns.push([{ ...step, number }]);
  }
  return turns;
}

class Player {
  readonly #stage: Stage;
  readonly #pod: Pod;
  readonly #later: Promise<void>[] = [];
  #compactions = 0;

  constructor(stage: Stage, pod: Pod) {
    this.#stage = stage;
    this.#pod = pod;
  }

  async play(turn: readonly NumberedStep[]): Promise<void> {
    const playing = turn.map((step) => {
      const played = this.#step(step, `step ${step.number}: ${JSON.stringify(step).slice(0, 200)}`);
      if (!("nowait" in step)) return played;
      played.catch(() => {});
      this.#later.push(played);
      return null;
    });
    await Promise.all(playing);
  }

  async finish(): Promise<void> {
    await Promise.all(this.#later);
  }

  async #step(step: Step, where: string): Promise<void> {
    if ("restart" in step) await this.#stage.restart();
    else if ("compact" in step) await this.#compact(step, where);
    else if ("event" in step) assertExpected(await this.#event(step), step.expect, where);
    else if ("raw" in step) assertExpected(await this.#raw(step), step.expect, where);
    else assertExpected(await this.#call(step), step.expect, where);
  }

  async #call({ tool, arguments: args, call, agent, read }: CallStep): Promise<Answer> {
    if (read) return answerOfResult(await this.#pod.read(tool, { arguments: args }));
    return answerOf(
      await this.#pod.call(tool, args, {
        ...(call === undefined ? {} : { callId: call }),
        ...(agent === undefined ? {} : { agent }),
      }),
    );
  }

  async #event({ event, data = {} }: EventStep): Promise<Answer> {
    return answerOf(await this.#pod.input(event, data));
  }

  async #raw({ raw, data = "", hex, headers = {} }: RawStep): Promise<Answer> {
    const bytes = hex === undefined
      ? data
      : Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
    return answerOf(await this.#pod.input(raw, bytes, await this.#filledIn(headers)));
  }

  async #filledIn(headers: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const { created, state } = await withConnection(
      this.#stage.server,
      async (nc) => await (await nc.jetstreamManager()).streams.info("TASKS"),
    );
    const fill = (value: string) =>
      value.replace("{created}", created).replace("{next}", String(state.last_seq + 1));
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
  }

  async #compact({ again, expect = {} }: CompactStep, where: string): Promise<void> {
    if (!again) this.#compactions++;
    const compact = { compact_id: `k${this.#compactions}`, session: `s${this.#compactions}` };
    if (!again) {
      const { kind, body } = await this.#pod.input("compact.started", compact);
      assertEquals(kind, "snapshot", where);
      const { tasks } = expect;
      if (tasks !== undefined) {
        assertExpected(answerOfTasks(body.store.tasks), { tasks }, `snapshot of ${where}`);
      }
    }
    const { kind, body } = await this.#pod.input("compact.finished", {
      ...compact,
      new_session: `s${this.#compactions + 1}`,
    });
    assertEquals(kind, "inject", where);
    const [message, call, result] = body.items;
    assertMatch(message.text, /^\[Session TaskStore snapshot\]\n/);
    assertEquals([message.role, call.name, call.call_id], ["system", "TaskList", result.call_id], where);
    const answer = { ...answerOfResult(result.result, body), text: message.text };
    assertExpected(answer, { ok: true, ...expect }, where);
  }
}

function answerOfTasks(tasks: readonly Json[]): Answer {
  return answerOfResult({ isError: false, content: [], structuredContent: { tasks } });
}

/** The answer, once it is sure that the output has the form that every output has. */
function answerOf({ kind, headers, body }: Output): Answer {
  assertEquals(headers["Tasuki-Input"], String(body.input_seq));
  assertMatch(headers["Nats-Msg-Id"] ?? "", new RegExp(`^out-.+-${body.input_seq}(-\\d+)?$`));
  if (kind === "result") {
    assert(Array.isArray(body.changes) && Array.isArray(body.warnings) && typeof body.summary === "string");
  }
  return answerOfOutput(kind, body);
}
