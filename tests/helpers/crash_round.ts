/**
 * One round of the crash tests: clients publish, a nemesis kills, pauses and cuts, then it is calm and everything is
 * compared with the log.
 */
import { isDeepStrictEqual } from "node:util";
import { readAnsweredLog, readCalmLog } from "./calm_log.ts";
import { Chance } from "./chance.ts";
import { type CheckedLog, checkLog } from "./crash_checks.ts";
import { CrashClients, pause } from "./crash_clients.ts";
import { PodInputs } from "./crash_inputs.ts";
import { WorkerSlot } from "./crash_workers.ts";
import { type Json, Pod } from "./pod.ts";
import type { Recorded } from "./session_log.ts";
import { makeStream, seqsOf } from "./streams.ts";
import { startTestServer, type TestServer } from "./test_server.ts";

export interface RoundOptions {
  readonly seed: number;
  readonly seconds: number;
}

export interface RoundReport {
  readonly seed: number;
  readonly inputs: number;
  /** Publishes that were repeated in doubt. */
  readonly uncertain: number;
  readonly reads: number;
  /** Keyed by what was done: how often. */
  readonly blows: { readonly [name: string]: number };
  /** From the death of a leader to the next one, where a second worker and the server were there; null where none was. */
  readonly longestTakeoverMs: number | null;
  readonly problems: readonly string[];
  /** For whoever has to find a cause. */
  readonly log: readonly Recorded[];
}

const podsCount = 24;
const clientsCount = 3;
/** Of so many rounds, one has workers that shorten the log: its head is gone in the end. */
const shortenedOf = 4;
/** Some seconds of a round: long enough for the mirror to have it, also after the server was killed. */
const keptMessages = 1_500;
/** A log can be cut where every input is answered. */
const restMs = 800;
/** Mirrors the stream, and keeps everything: what a round with a shortened log is judged by. */
const mirror = "MIRROR";
/** Longer than the lease (2 s). */
const longPauseMs = { least: 2_300, most: 3_500 };

export async function crashRound({ seed, seconds }: RoundOptions): Promise<RoundReport> {
  const chance = new Chance(seed);
  await using server = await startTestServer();
  await using round = new Round(server, chance);
  try {
    await round.begin();
    const endMs = performance.now() + seconds * 1_000;
    while (performance.now() < endMs) await round.disturb();
    const report = await round.end();
    if (report.problems.length > 0) await round.keep();
    return report;
  } catch (error) {
    await round.keep();
    throw error;
  }
}

export function reportLine(
  { seed, inputs, uncertain, reads, blows, longestTakeoverMs, problems }: RoundReport,
): string {
  const done = Object.entries(blows).map(([name, count]) => `${name} ${count}`).join(", ");
  return `seed ${seed}: ${inputs} inputs (${uncertain} repeated in doubt), ${reads} reads; ${done}; ` +
    `longest takeover ${longestTakeoverMs === null ? "none" : `${Math.round(longestTakeoverMs)} ms`}; ` +
    `${problems.length === 0 ? "all as it must be" : `PROBLEMS: ${problems.join("\n")}`}`;
}

/** What was done in all of them. */
export function sumOf(reports: readonly RoundReport[]): string {
  const blows = new Map<string, number>();
  for (const report of reports) {
    for (const [name, count] of Object.entries(report.blows)) blows.set(name, (blows.get(name) ?? 0) + count);
  }
  const inputs = reports.reduce((sum, report) => sum + report.inputs, 0);
  const longest = Math.max(0, ...reports.map(({ longestTakeoverMs }) => longestTakeoverMs ?? 0));
  const done = [...blows].sort().map(([name, count]) => `${name} ${count}`).join(", ");
  return `${reports.length} rounds, ${inputs} inputs; ${done}; longest takeover ${Math.round(longest)} ms`;
}

class Round implements AsyncDisposable {
  readonly #server: TestServer;
  readonly #chance: Chance;
  readonly #slots: readonly WorkerSlot[];
  readonly #pods: readonly PodInputs[];
  readonly #isShortened: boolean;
  #clients: CrashClients | null = null;
  readonly #blows = new Map<string, number>();
  readonly #problems: string[] = [];
  /** When the last leader was struck; null where somebody leads again, or nobody could. */
  #leaderLostMs: number | null = null;
  #longestTakeoverMs: number | null = null;

  constructor(server: TestServer, chance: Chance) {
    this.#server = server;
    this.#chance = chance;
    this.#isShortened = chance.seed % shortenedOf === 0;
    const settings = { TASUKI_KEEP_MESSAGES: String(this.#isShortened ? keptMessages : 0) };
    this.#slots = ["one", "two"].map((name) =>
      new WorkerSlot(name, server.port, chance.fork(), () => this.#tookOver(), settings)
    );
    this.#pods = Array.from(
      { length: podsCount },
      (_, index) => new PodInputs(`p${index}`, chance.fork(), { isLongLived: index % 8 === 0 }),
    );
  }

  async begin(): Promise<void> {
    for (const slot of this.#slots) slot.launch();
    for (const slot of this.#slots) await slot.whenReady();
    if (this.#isShortened) await makeStream(this.#server, { name: mirror, mirror: { name: "TASKS" } });
    this.#clients = await CrashClients.start({
      serverPort: this.#server.port,
      chance: this.#chance.fork(),
      clients: clientsCount,
      pods: this.#pods,
    });
  }

  #tookOver(): void {
    if (this.#leaderLostMs === null) return;
    const tookMs = performance.now() - this.#leaderLostMs;
    this.#leaderLostMs = null;
    this.#longestTakeoverMs = Math.max(this.#longestTakeoverMs ?? 0, tookMs);
  }

  get #leader(): WorkerSlot | undefined {
    return this.#slots.toSorted((a, b) => (b.leadsSinceMs ?? 0) - (a.leadsSinceMs ?? 0))
      .find(({ leadsSinceMs }) => leadsSinceMs !== null);
  }

  /** To be called when the slot is struck down while the server is there. */
  #leaderLost(struck: WorkerSlot): void {
    const isHot = this.#slots.some((slot) => slot !== struck && slot.isReady && !slot.isPaused);
    if (struck === this.#leader && isHot) this.#leaderLostMs = performance.now();
  }

  #count(blow: string): void {
    this.#blows.set(blow, (this.#blows.get(blow) ?? 0) + 1);
  }

  /** One blow after a while of peace. */
  async disturb(): Promise<void> {
    const chance = this.#chance;
    await pause(chance.below(1_200));
    const slot = chance.percent(70) ? this.#leader ?? chance.pick(this.#slots) : chance.pick(this.#slots);
    const [name, blow] = chance.weighted<readonly [string, () => Promise<void>]>([
      [20, ["worker killed", () => this.#killWorker(slot)]],
      [10, ["server killed", () => this.#killServer([])]],
      [8, ["server and worker killed", () => this.#killServer([slot])]],
      [4, ["everything killed", () => this.#killServer(this.#slots)]],
      [10, ["worker paused", () => this.#pauseWorker(slot)]],
      [4, ["worker paused, the other killed", () => this.#pauseOneKillOther(slot)]],
      [20, ["client cut off", () => this.#clients?.cutOne() ?? Promise.resolve()]],
      [8, ["worker cut off", () => slot.wire.cut(chance.below(20))]],
      [8, ["worker's wire dead", () => this.#killWire(slot)]],
      [6, ["worker stopped", () => this.#stopWorker(slot)]],
      [3, ["server paused", () => this.#pauseServer()]],
    ]);
    this.#count(slot === this.#leader && name.startsWith("worker") ? name.replace("worker", "leader") : name);
    await blow();
    if (this.#isShortened) this.#clients?.rest(restMs);
  }

  async #killWorker(slot: WorkerSlot): Promise<void> {
    this.#leaderLost(slot);
    await slot.kill();
    await pause(this.#chance.below(2_500));
    slot.launch();
    if (this.#chance.percent(70)) await slot.whenReady();
  }

  async #killServer(slots: readonly WorkerSlot[]): Promise<void> {
    this.#leaderLostMs = null;
    await Promise.all([this.#server.kill(), ...slots.map((slot) => slot.kill())]);
    await pause(this.#chance.below(800));
    if (this.#chance.percent(50)) { for (const slot of slots) slot.launch(); }
    await this.#server.start();
    for (const slot of slots) slot.launch();
  }

  async #pauseWorker(slot: WorkerSlot): Promise<void> {
    this.#leaderLost(slot);
    await slot.pause();
    await pause(this.#chance.between(longPauseMs.least, longPauseMs.most));
    slot.resume();
  }

  /** The one that took over dies as the paused one wakes up. */
  async #pauseOneKillOther(slot: WorkerSlot): Promise<void> {
    const others = this.#slots.filter((other) => other !== slot);
    this.#leaderLostMs = null;
    await slot.pause();
    await pause(this.#chance.between(longPauseMs.least, longPauseMs.most));
    if (this.#chance.percent(50)) slot.resume();
    for (const other of others) await other.kill();
    slot.resume();
    await pause(this.#chance.below(1_000));
    for (const other of others) other.launch();
  }

  /** Its connection stays open, but nothing passes. */
  async #killWire(slot: WorkerSlot): Promise<void> {
    this.#leaderLost(slot);
    slot.wire.die();
    await pause(this.#chance.between(1_000, longPauseMs.most));
    if (this.#chance.percent(50)) await slot.wire.cut();
    slot.wire.revive();
  }

  async #stopWorker(slot: WorkerSlot): Promise<void> {
    const wasLeader = slot === this.#leader;
    await slot.stop();
    if (wasLeader) this.#count("clean hand-over");
    slot.launch();
  }

  async #pauseServer(): Promise<void> {
    this.#leaderLostMs = null;
    await this.#server.pause();
    await pause(this.#chance.between(500, longPauseMs.most));
    this.#server.resume();
  }

  // When it is calm again.

  async end(): Promise<RoundReport> {
    await this.#server.start();
    for (const slot of this.#slots) slot.launch();
    const clients = this.#clients;
    if (!clients) throw new Error("Cannot end a round that has not begun");
    await clients.finish();
    await this.#readWhole();
    for (const slot of this.#slots) await slot.stop();
    const lists = new Map([
      // The log alone, then the checkpoint as it was left; each goes on with the lists.
      ...(this.#isShortened
        ? []
        : [await this.#listsOf("replayed from the log", { TASUKI_BUCKET: "FULL_REPLAY" })]),
      await this.#listsOf("started from the checkpoint"),
    ]);
    const log = await this.#readWhole();
    const checked = checkLog(log, clients.reads, this.#isShortened);
    this.#compareLists(lists, checked);
    return {
      seed: this.#chance.seed,
      inputs: log.filter(({ direction }) => direction === "in").length,
      uncertain: clients.uncertainCount,
      reads: clients.reads.length,
      blows: Object.fromEntries([...this.#blows].sort()),
      longestTakeoverMs: this.#longestTakeoverMs,
      problems: [
        ...this.#problems,
        ...this.#slots.flatMap(({ problems }) => problems),
        ...lostInputs(clients, log).slice(0, 5),
        ...checked.problems,
      ],
      log,
    };
  }

  /** All that was ever in the log. @throws {Error} when the mirror is not whole */
  async #readWhole(): Promise<readonly Recorded[]> {
    if (!this.#isShortened) return await readAnsweredLog(this.#server);
    const { firstSeq, lastSeq } = await seqsOf(this.#server);
    while ((await seqsOf(this.#server, mirror)).lastSeq < lastSeq) await pause(50);
    const log = await readAnsweredLog(this.#server, undefined, mirror);
    if (log.some(({ seq }, index) => seq !== index + 1)) throw new Error("the mirror has missed messages");
    if (firstSeq > 1) this.#blows.set("messages thrown away", firstSeq - 1);
    return log;
  }

  /** What a worker that starts now has: by a call and by a read. */
  async #listsOf(
    how: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<readonly [string, ReadonlyMap<string, Json>]> {
    const [slot] = this.#slots;
    slot?.launch(env);
    await slot?.whenReady();
    const lists = new Map<string, Json>();
    for (const { pod: id } of this.#pods) {
      await using pod = await Pod.join(this.#server, { id });
      const tasks = await pod.tasks();
      const read = (await pod.read("TaskList")).structuredContent.tasks;
      if (!isDeepStrictEqual(read, tasks)) {
        this.#problems.push(`the reading lane of ${id} shows another list than a call`);
      }
      lists.set(id, tasks);
    }
    await slot?.stop();
    return [how, lists];
  }

  #compareLists(all: ReadonlyMap<string, ReadonlyMap<string, Json>>, { lists }: CheckedLog): void {
    for (const [name, found] of all) {
      for (const [pod, tasks] of found) {
        if (isDeepStrictEqual(tasks, lists.get(pod))) continue;
        this.#problems.push(
          `the list of ${pod}, ${name}, must be ${JSON.stringify(lists.get(pod))}: got ${
            JSON.stringify(tasks)
          }`,
        );
      }
    }
  }

  /** Writes down what is needed to find a cause, where `TASUKI_CRASH_KEEP` names a folder for it. */
  async keep(): Promise<void> {
    const folder = Deno.env.get("TASUKI_CRASH_KEEP");
    if (folder === undefined) return;
    await this.#server.start();
    const log = (await readCalmLog(this.#server)).map(({ data, ...message }) => ({
      ...message,
      text: new TextDecoder().decode(data),
    }));
    const lines = (values: readonly unknown[]): string =>
      values.map((value) => JSON.stringify(value)).join("\n");
    await Deno.writeTextFile(`${folder}/${this.#chance.seed}.log.jsonl`, lines(log));
    await Deno.writeTextFile(
      `${folder}/${this.#chance.seed}.workers.json`,
      JSON.stringify(this.#slots.flatMap(({ story }) => story), null, 1),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#clients?.[Symbol.asyncDispose]();
    for (const slot of this.#slots) await slot[Symbol.asyncDispose]();
  }
}

function lostInputs({ acknowledged }: CrashClients, log: readonly Recorded[]): readonly string[] {
  const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  const bySeq = new Map(log.map((message) => [message.seq, message]));
  return acknowledged.flatMap(({ seq, subject, data }) => {
    const found = bySeq.get(seq);
    const isThere = found?.subject === subject && textOf(found.data) === textOf(data);
    return isThere
      ? []
      : [`input ${seq} on ${subject} was acknowledged, and the log has another: ${found?.subject}`];
  });
}
