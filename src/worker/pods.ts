/** The keyed map of pods, with a bound: pods that were not used lately leave memory once the checkpoint has them. */
import type { LogMessage } from "../log/log_message.ts";
import type { ParsedSubject } from "../log/subjects.ts";
import { podsWaitingMax } from "./limits.ts";
import { type PodSurroundings, PodWorker } from "./pod_worker.ts";
import { Turns } from "./turns.ts";

interface PodsOptions extends Omit<PodSurroundings, "isTurnOf"> {
  /** Pods that stay in memory although they are idle. */
  readonly podsInMemoryMax: number;
}

export class Pods {
  readonly #options: PodSurroundings & { readonly podsInMemoryMax: number };
  readonly #turns: Turns;
  /** Keyed by pod id, the longest unused first. */
  readonly #pods = new Map<string, PodWorker>();
  /** Whether a pod that is not in memory may be in the checkpoint. */
  #mayBeSaved = false;

  constructor(options: PodsOptions) {
    this.#turns = new Turns(() => options.recorder.isFull);
    this.#options = { ...options, isTurnOf: (pod) => this.#turns.isTurnOf(pod) };
  }

  get size(): number {
    return this.#pods.size;
  }

  /** Begins anew. @param mayBeSaved whether pods that are not in memory may be in the checkpoint */
  reset(mayBeSaved: boolean): void {
    for (const pod of this.#pods.values()) pod.close();
    this.#pods.clear();
    this.#turns.clear();
    this.#mayBeSaved = mayBeSaved;
  }

  /** Hands the message to its pod; a promise where the pod asks the reading to wait. */
  take(message: LogMessage, parsed: ParsedSubject): Promise<void> | null {
    const known = this.#pods.get(parsed.pod);
    // The output of an input that the saved pod includes: a pod is loaded for an input only.
    if (!known && parsed.direction === "out") return null;
    const pod = known ?? this.#make(parsed.pod, message.seq);
    if (known) this.#pods.delete(parsed.pod);
    this.#pods.set(parsed.pod, pod);
    pod.take(message, parsed);
    return pod.whenRoom;
  }

  #make(id: string, firstSeq: number): PodWorker {
    const pod = new PodWorker(this.#options, id);
    if (this.#mayBeSaved) pod.loadFrom(firstSeq);
    return pod;
  }

  /** The pod to be read; null where there has never been one. */
  find(id: string): PodWorker | null {
    const known = this.#pods.get(id);
    if (known || !this.#mayBeSaved) return known ?? null;
    // Nothing of it is open until a message comes.
    const pod = this.#make(id, Number.MAX_SAFE_INTEGER);
    this.#pods.set(id, pod);
    return pod;
  }

  /** Takes none into memory. */
  inMemory(id: string): PodWorker | undefined {
    return this.#pods.get(id);
  }

  all(): readonly PodWorker[] {
    return [...this.#pods.values()];
  }

  advance(): void {
    for (const pod of this.#pods.values()) pod.advance();
  }

  /** Has those decide who waited for room. */
  serve(): void {
    this.#turns.serve();
  }

  /** Whether more pods wait for room than are to be read for. */
  get isCrowded(): boolean {
    return this.#turns.waitingCount > podsWaitingMax;
  }

  /** The checkpoint is not known any more: another leader may have written it. */
  forgetSaved(): void {
    for (const pod of this.#pods.values()) pod.forgetSaved();
  }

  get hasTooMany(): boolean {
    return this.#pods.size > this.#options.podsInMemoryMax;
  }

  /** Drops idle pods that the checkpoint has, the longest unused first, down to the bound. */
  evict(): void {
    for (const [id, pod] of this.#pods) {
      if (!this.hasTooMany) return;
      if (!pod.isIdle || pod.unsaved !== null) continue;
      pod.close();
      this.#pods.delete(id);
      this.#mayBeSaved = true;
    }
  }
}
