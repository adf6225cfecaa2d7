/** One pod as the log tells it: its store and what it remembers. Every change to it is an {@link Effect}. */
import { type Delta, emptyStore, evolve, type TaskStore } from "../tasks/store.ts";
import { type CallMark, CallMemory, EventMemory } from "./memory.ts";
import type { EventKind } from "./read_input.ts";

/** What one input did to its pod: the same whether it was decided now or read from a recorded output. */
export interface Effect {
  readonly delta: Delta;
  /** Writing calls to remember, oldest first. */
  readonly calls: readonly Omit<CallMark, "inputSeq" | "outputSeq">[];
  readonly event: { readonly kind: EventKind; readonly id: string } | null;
}

export const noEffect: Effect = { delta: { changes: [] }, calls: [], event: null };

/** Where and when an input stands in the log. */
export interface Place {
  readonly inputSeq: number;
  /** The stream's timestamp of the input, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** An output in the log. */
interface RecordedOutput {
  readonly seq: number;
  /** The input that it answers. */
  readonly inputSeq: number;
}

export class Pod {
  readonly id: string;
  store: TaskStore = emptyStore();
  readonly calls = new CallMemory();
  readonly events = new EventMemory();
  /** The last input that the pod includes; 0 before the first. */
  inputSeq = 0;
  /** When that input came, in milliseconds since the epoch. */
  changedMs = 0;
  /** The pod's output that lies furthest in the log, as far as that is known: what it includes is in the log up to there. */
  lastOutput: RecordedOutput | null = null;

  constructor(id: string) {
    this.id = id;
  }

  /** Whether what it remembered after that input can still be told, for a checkpoint: of the last few inputs it can. */
  recalls(inputSeq: number): boolean {
    return this.calls.reachesBackTo(inputSeq) && this.events.reachesBackTo(inputSeq);
  }

  /** Another pod that stands where this one does. */
  copy(): Pod {
    const copy = new Pod(this.id);
    copy.store = this.store;
    copy.inputSeq = this.inputSeq;
    copy.changedMs = this.changedMs;
    copy.lastOutput = this.lastOutput;
    for (const mark of this.calls.all()) copy.calls.remember({ ...mark });
    for (const mark of this.events.all()) copy.events.remember({ ...mark });
    return copy;
  }

  /**
   * Applies what an input did.
   *
   * @param outputSeq where its output lies in the log; null while that is not known
   * @param after the store after the effect, where it is known already
   * @returns the marks to complete once the output's seq is known
   * @throws {Error} when the effect cannot be applied: the record is corrupt
   */
  apply(
    effect: Effect,
    place: Place,
    outputSeq: number | null,
    after?: TaskStore,
  ): readonly { outputSeq: number | null }[] {
    this.store = after ?? evolve(this.store, effect.delta, place.atMs);
    this.inputSeq = place.inputSeq;
    this.changedMs = place.atMs;
    if (outputSeq !== null) this.recordedAt(outputSeq, place.inputSeq);
    if (effect.delta.reset) this.calls.clear(place.inputSeq);
    const { inputSeq } = place;
    const marks = effect.calls.map(({ hash, callId, taskids, isRestored }) => ({
      inputSeq,
      outputSeq,
      hash,
      callId,
      taskids,
      isRestored,
    }));
    for (const mark of marks) this.calls.remember(mark);
    if (effect.event === null) return marks;
    const mark = { inputSeq, outputSeq, ...effect.event };
    this.events.remember(mark);
    return [...marks, mark];
  }

  recordedAt(seq: number, inputSeq: number): void {
    if (seq > (this.lastOutput?.seq ?? 0)) this.lastOutput = { seq, inputSeq };
  }
}
