/** What a pod remembers of the inputs that it has seen, so that a repeat changes nothing (R6). */
import { callsRememberedMax, eventsRememberedMax } from "../tasks/limits.ts";
import type { EventKind } from "./read_input.ts";

/** Where the first answer lies. */
export interface Mark {
  readonly inputSeq: number;
  /** Stream seq of the recorded output; null until it is known, and for a restored call, which has none. */
  outputSeq: number | null;
}

/** Inputs whose droppings are kept: about as many as a pod runs ahead of what is recorded. */
const recalledInputsMax = 256;

/** Marks that were dropped lately, so that a memory can be told as it was a few inputs ago. */
class Dropped<M extends Mark> {
  /** Keyed by the seq of the input that pushed them out, ascending. */
  readonly #bySeq = new Map<number, M[]>();
  #knownFromSeq = 0;

  add(bySeq: number, marks: readonly M[]): void {
    if (marks.length === 0) return;
    const dropped = this.#bySeq.get(bySeq) ?? [];
    dropped.push(...marks);
    this.#bySeq.set(bySeq, dropped);
    const [oldest] = this.#bySeq.keys();
    if (this.#bySeq.size <= recalledInputsMax || oldest === undefined) return;
    this.#bySeq.delete(oldest);
    this.#knownFromSeq = oldest;
  }

  /** Whether the memory as it was after that input can still be told. */
  reachesBackTo(inputSeq: number): boolean {
    return inputSeq >= this.#knownFromSeq;
  }

  /** The memory after that input, oldest first. @param kept what is remembered now */
  asOf(inputSeq: number, kept: readonly M[]): readonly M[] {
    const since = [...this.#bySeq].filter(([bySeq]) => bySeq > inputSeq).flatMap(([, marks]) => marks);
    return [...since, ...kept].filter((mark) => mark.inputSeq <= inputSeq)
      .sort((a, b) => a.inputSeq - b.inputSeq);
  }
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
  readonly #dropped = new Dropped<CallMark>();
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
    if (before) this.#forget(before, mark.inputSeq);
    this.#byHash.set(mark.hash, mark);
    this.#order.push(mark);
    this.#callIds.set(mark.callId, (this.#callIds.get(mark.callId) ?? 0) + 1);
    if (mark.isRestored) this.#restored++;
    while (this.#byHash.size > callsRememberedMax) this.#forgetOldest(mark.inputSeq);
    if (this.#order.length < 2 * callsRememberedMax) return;
    this.#order = this.#remembered();
    this.#first = 0;
  }

  #forgetOldest(bySeq: number): void {
    const oldest = this.#order[this.#first++];
    if (oldest && this.#byHash.get(oldest.hash) === oldest) this.#forget(oldest, bySeq);
  }

  #remembered(): CallMark[] {
    return this.#order.filter((mark) => this.#byHash.get(mark.hash) === mark);
  }

  #forget(mark: CallMark, bySeq: number): void {
    this.#dropped.add(bySeq, [mark]);
    this.#byHash.delete(mark.hash);
    const left = (this.#callIds.get(mark.callId) ?? 0) - 1;
    if (left > 0) this.#callIds.set(mark.callId, left);
    else this.#callIds.delete(mark.callId);
    if (mark.isRestored) this.#restored--;
  }

  /** @param bySeq the input that empties the store */
  clear(bySeq: number): void {
    this.#dropped.add(bySeq, this.all());
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

  /** Whether {@link asOf} can tell of that input: always, where it is one of the last few. */
  reachesBackTo(inputSeq: number): boolean {
    return this.#dropped.reachesBackTo(inputSeq);
  }

  /** What was remembered after that input, oldest first. */
  asOf(inputSeq: number): readonly CallMark[] {
    return this.#dropped.asOf(inputSeq, this.all());
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
  readonly #dropped = new Dropped<EventMark>();

  find(kind: EventKind, id: string): EventMark | undefined {
    return this.#kinds.get(kind)?.get(id);
  }

  remember(mark: EventMark): void {
    const marks = this.#kinds.get(mark.kind) ?? new Map<string, EventMark>();
    this.#kinds.set(mark.kind, marks);
    if (marks.has(mark.id)) return;
    marks.set(mark.id, mark);
    const [oldest] = marks.values();
    if (marks.size <= eventsRememberedMax || oldest === undefined) return;
    marks.delete(oldest.id);
    this.#dropped.add(mark.inputSeq, [oldest]);
  }

  all(): readonly EventMark[] {
    return [...this.#kinds.values()].flatMap((marks) => [...marks.values()]);
  }

  /** Whether {@link asOf} can tell of that input: always, where it is one of the last few. */
  reachesBackTo(inputSeq: number): boolean {
    return this.#dropped.reachesBackTo(inputSeq);
  }

  /** What was remembered after that input, oldest first. */
  asOf(inputSeq: number): readonly EventMark[] {
    return this.#dropped.asOf(inputSeq, this.all());
  }
}
