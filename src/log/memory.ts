/** What a pod remembers of the inputs that it has seen, so that a repeat changes nothing (R6). */
import { callsRememberedMax, eventsRememberedMax } from "../tasks/limits.ts";
import type { EventKind } from "./read_input.ts";

/** Where the first answer lies. */
export interface Mark {
  readonly inputSeq: number;
  /** Stream seq of the recorded output; null until it is known, and for a restored call, which has none. */
  outputSeq: number | null;
}

export interface CallMark extends Mark {
  readonly hash: string;
  readonly callId: string;
  /** The tasks that its answer showed. */
  readonly taskids: readonly number[];
  /** Restored calls are matched without agent and session, and answered with the task as it is (R24). */
  readonly isRestored: boolean;
}

/** The last writing calls of a store that changed something. */
export class CallMemory {
  readonly #byHash = new Map<string, CallMark>();
  /** Keyed by call id: how many of the remembered calls carry it. */
  readonly #callIds = new Map<string, number>();
  /** In the order in which they were remembered; what `#byHash` does not know is forgotten, as is all before `#first`. */
  #order: CallMark[] = [];
  #first = 0;
  #restored = 0;

  find(hash: string): CallMark | undefined {
    return this.#byHash.get(hash);
  }

  knowsCallId(callId: string): boolean {
    return this.#callIds.has(callId);
  }

  get hasRestored(): boolean {
    return this.#restored > 0;
  }

  remember(mark: CallMark): void {
    const before = this.#byHash.get(mark.hash);
    if (before) this.#forget(before);
    this.#byHash.set(mark.hash, mark);
    this.#order.push(mark);
    this.#callIds.set(mark.callId, (this.#callIds.get(mark.callId) ?? 0) + 1);
    if (mark.isRestored) this.#restored++;
    while (this.#byHash.size > callsRememberedMax) this.#forgetOldest();
    if (this.#order.length < 2 * callsRememberedMax) return;
    this.#order = this.#remembered();
    this.#first = 0;
  }

  #forgetOldest(): void {
    const oldest = this.#order[this.#first++];
    if (oldest && this.#byHash.get(oldest.hash) === oldest) this.#forget(oldest);
  }

  #remembered(): CallMark[] {
    return this.#order.filter((mark) => this.#byHash.get(mark.hash) === mark);
  }

  #forget(mark: CallMark): void {
    this.#byHash.delete(mark.hash);
    const left = (this.#callIds.get(mark.callId) ?? 0) - 1;
    if (left > 0) this.#callIds.set(mark.callId, left);
    else this.#callIds.delete(mark.callId);
    if (mark.isRestored) this.#restored--;
  }

  clear(): void {
    this.#byHash.clear();
    this.#callIds.clear();
    this.#order = [];
    this.#first = 0;
    this.#restored = 0;
  }

  /** Oldest first. */
  all(): readonly CallMark[] {
    return this.#remembered();
  }
}

export interface EventMark extends Mark {
  readonly kind: EventKind;
  readonly id: string;
}

/** The last inputs of each other kind, oldest first; they outlive the store (R6). */
export class EventMemory {
  /** Keyed by kind, then by id. */
  readonly #kinds = new Map<EventKind, Map<string, EventMark>>();

  find(kind: EventKind, id: string): EventMark | undefined {
    return this.#kinds.get(kind)?.get(id);
  }

  remember(mark: EventMark): void {
    const marks = this.#kinds.get(mark.kind) ?? new Map<string, EventMark>();
    this.#kinds.set(mark.kind, marks);
    if (marks.has(mark.id)) return;
    marks.set(mark.id, mark);
    const [oldest] = marks.keys();
    if (marks.size > eventsRememberedMax && oldest !== undefined) marks.delete(oldest);
  }

  all(): readonly EventMark[] {
    return [...this.#kinds.values()].flatMap((marks) => [...marks.values()]);
  }
}
