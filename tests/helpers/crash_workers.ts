/** Workers of the crash tests: processes that are killed, stopped, paused and cut off, and started again. */
import type { Chance } from "./chance.ts";
import { CutWire } from "./cut_wire.ts";
import { launchWorker, type WorkerProcess } from "./worker_process.ts";
import { within } from "./within.ts";

const patienceMs = 60_000;
/** Of a process that SIGTERM ends before it listens to it. */
const terminatedCode = 128 + 15;

/** A worker that is started again and again, each time with other settings. */
export class WorkerSlot implements AsyncDisposable {
  readonly name: string;
  readonly wire: CutWire;
  readonly #chance: Chance;
  readonly #onLeading: () => void;
  readonly #fixed: Readonly<Record<string, string>>;
  #process: WorkerProcess | null = null;
  isPaused = false;
  isReady = false;
  /** When it last said that it leads; null where it does not, or said later that it follows. */
  leadsSinceMs: number | null = null;
  /** Ends that nobody asked for, and stops that went wrong. */
  readonly problems: string[] = [];
  /** All that ever ran here, oldest first. */
  readonly #past: WorkerProcess[] = [];

  /** @param fixed settings that each of them has */
  constructor(
    name: string,
    serverPort: number,
    chance: Chance,
    onLeading: () => void,
    fixed: Readonly<Record<string, string>> = {},
  ) {
    this.name = name;
    this.wire = new CutWire(serverPort);
    this.#chance = chance;
    this.#onLeading = onLeading;
    this.#fixed = fixed;
  }

  get isRunning(): boolean {
    return this.#process !== null;
  }

  /** Does not wait for anything; nothing where it runs. @param env more settings */
  launch(env: Readonly<Record<string, string>> = {}): void {
    if (this.#process !== null) return;
    const worker = launchWorker(this.wire, { ...this.#settings(), ...this.#fixed, ...env });
    this.#process = worker;
    this.#past.push(worker);
    this.#follow(worker).catch(() => {});
  }

  async whenReady(): Promise<void> {
    const worker = this.#process;
    if (worker) {
      await within(worker.ready, () => `worker ${this.name} ready: ${this.#seen(worker)}`, patienceMs);
    }
  }

  #settings(): Readonly<Record<string, string>> {
    const chance = this.#chance;
    return {
      TASUKI_PODS_IN_MEMORY_MAX: String(chance.pick([0, 3, 10_000])),
      TASUKI_CHECKPOINT_INPUTS: String(chance.pick([10, 100, 1_000])),
      TASUKI_CHECKPOINT_EVERY_MS: String(chance.pick([100, 1_000])),
      TASUKI_IN_FLIGHT_MAX: String(chance.pick([4, 64, 1_024])),
    };
  }

  async #follow(worker: WorkerProcess): Promise<void> {
    const isCurrent = (): boolean => this.#process === worker;
    worker.ready.then(() => this.isReady ||= isCurrent(), () => {});
    worker.ended.then(({ code, stderr }) => {
      if (!isCurrent()) return;
      this.#leave();
      this.problems.push(
        `worker ${this.name} ended with ${code}: ${stderr.join("\n")}: ${this.#seen(worker)}`,
      );
    });
    const following = async (): Promise<void> => {
      for (let count = 0; isCurrent(); count++) {
        await worker.log.next("following", count);
        if (isCurrent()) this.leadsSinceMs = null;
      }
    };
    following().catch(() => {});
    for (let count = 0; isCurrent(); count++) {
      await worker.log.next("leading", count);
      if (!isCurrent()) return;
      this.leadsSinceMs = performance.now();
      this.#onLeading();
    }
  }

  #seen({ log }: WorkerProcess): string {
    return JSON.stringify(log.all.slice(-20));
  }

  /** It is none of ours any more: what it says from now on is nothing to us. */
  #leave(): WorkerProcess | null {
    const worker = this.#process;
    this.#process = null;
    this.isReady = false;
    this.isPaused = false;
    this.leadsSinceMs = null;
    return worker;
  }

  async kill(): Promise<void> {
    await this.#leave()?.kill();
  }

  /** By SIGTERM: it must end with 0, unless it has only just begun to start. */
  async stop(): Promise<void> {
    const wasReady = this.isReady;
    const worker = this.#leave();
    if (!worker) return;
    const { code, stderr } = await worker.stop();
    if (code !== 0 && (wasReady || code !== terminatedCode)) {
      this.problems.push(`worker ${this.name} was stopped and ended with ${code}: ${stderr.join("\n")}`);
    }
  }

  async pause(): Promise<void> {
    this.isPaused = true;
    await this.#process?.pause();
  }

  resume(): void {
    if (this.isPaused) this.#process?.resume();
    this.isPaused = false;
  }

  /** What each of them has logged. */
  get story(): readonly unknown[] {
    return this.#past.map(({ pid, log }) => ({ name: this.name, pid, lines: log.all }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.wire[Symbol.asyncDispose]();
  }
}
