/** Keeps a folder of task files as a pod's list is. */
import { OperatorError, type TransientError } from "../errors.ts";
import type { Folder } from "../files/folder.ts";
import { type FolderWriting, writeFolder } from "../files/write_folder.ts";
import { Fold } from "../log/fold.ts";
import type { LogMessage } from "../log/log_message.ts";
import type { Pod } from "../log/pod.ts";
import type { TaskStore } from "../tasks/store.ts";
import { reportWritten } from "./file_report.ts";
import type { Follower } from "./follow.ts";
import { notYetThere } from "./known_pod.ts";
import type { World } from "./ports.ts";
import { lineForTerminal } from "./terminal_text.ts";

export class Mirror implements Follower {
  readonly #world: World;
  readonly #pod: string;
  readonly #folder: Folder;
  readonly #writing: FolderWriting;
  #fold: Fold;
  /** What the folder shows; null before the first writing. */
  #shown: TaskStore | null = null;
  #isInterrupted = false;

  constructor(world: World, pod: string, folder: Folder, writing: FolderWriting) {
    this.#world = world;
    this.#pod = pod;
    this.#folder = folder;
    this.#writing = writing;
    this.#fold = new Fold(world.subjects);
  }

  begin(pods: readonly Pod[], reason: string | null): void {
    this.#fold = new Fold(this.#world.subjects, pods);
    this.#shown = null;
    if (reason !== null) this.#world.err.write(`${reason}: starting over\n`);
  }

  take(message: LogMessage): void {
    this.#fold.take(message);
  }

  async caughtUp(): Promise<void> {
    if (this.#isInterrupted) this.#world.err.write("Connected again\n");
    this.#isInterrupted = false;
    if (!this.#fold.pods.has(this.#pod)) this.#world.err.write(`${notYetThere(this.#pod)}\n`);
    await this.tick();
  }

  /**
   * @throws {OperatorError} when the folder cannot be written, or the pod's log cannot be read on
   */
  async tick(): Promise<void> {
    const podLog = this.#fold.pods.get(this.#pod);
    if (!podLog) return;
    if (podLog.notServed !== null) {
      throw new OperatorError(`Cannot mirror pod ${this.#pod}: ${podLog.notServed}`);
    }
    const { store } = podLog.pod;
    if (store === this.#shown) return;
    const written = await writeFolder(this.#folder, store, this.#shown, this.#writing);
    this.#shown = store;
    await reportWritten(this.#world, this.#folder.path, written);
  }

  interrupted(error: TransientError): Promise<void> {
    if (!this.#isInterrupted) this.#world.err.write(`Interrupted: ${lineForTerminal(error.message)}\n`);
    this.#isInterrupted = true;
    return Promise.resolve();
  }
}
