/** What a pod remembers of the inputs that it has seen, so that a repeat changes nothing (R6). */
import { callsRememberedMax, eventsRememberedMax } from "../tasks/limits.ts";
import { CallIndex } from "./call_index.ts";
import type { EventKind } from "./read_input.ts";

/** Where the first answer lies. */
export interface Mark {
  readonly inputSeq: number;
  /** Stream seq of the recorded output; null until it is known, and for a restored call, which has none. */
  outputSeq: number | null;
}

/** Inputs behind which a memory can still be told: no pod may run further ahead of what is recorded. */
export const recalledInputsMax = 128;
/** … and how many entries these may have made: a pod that has several restores on their way is saved later. */
const recalledEntriesMax = callsRememberedMax + recalledInputsMax;

export interface CallMark extends Mark {
  readonly hash: string;
  readonly callId: string;
  /** The tasks that its answer showed. */
  readonly taskids: readonly number[];
  /** Restored calls are matched without agent and session, and answered with the task as it is (R24). */
  readonly isRestored: boolean;
}

/** What happened to the memory of calls: one was made, or all were forgotten. */
type CallEntry = CallMark | { readonly inputSeq: number; readonly isClear: true };

/** What a memory of calls holds at most; at so many, those are thrown away that nobody needs any more. */
export const callEntriesMax = 3 * callsRememberedMax;

/** The last writing calls of a store that changed something. */
export class CallMemory {
  /** Oldest first; without what is before the memory as it was at `#knownFromSeq`. */
  #entries: CallEntry[] = [];
  #knownFromSeq = 0;
  /** What is remembered now; null until somebody asks: a replay remembers much that nobody ever asks for. */
  #index: CallIndex | null = null;

  get #indexed(): CallIndex {
    this.#index ??= new CallIndex(this.all());
    return this.#index;
  }

  find(call: Pick<CallMark, "callId" | "hash">): CallMark | undefined {
    return this.#indexed.find(call);
  }

  knowsCallId(callId: string): boolean {
    return this.#indexed.knowsCallId(callId);
  }

  get hasRestored(): boolean {
    return this.#indexed.hasRestored;
  }

  remember(mark: CallMark): void {
    this.#add(mark);
    this.#index?.add(mark);
  }

  /** @param bySeq the input that empties the store */
  clear(bySeq: number): void {
    this.#add({ inputSeq: bySeq, isClear: true });
    this.#index = null;
  }

  #add(entry: CallEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length >= callEntriesMax) this.#trim();
  }

  /** Those that are remembered, and those that {@link asOf} needs besides. */
  get entryCount(): number {
    return this.#entries.length;
  }

  /** Oldest first. */
  all(): readonly CallMark[] {
    return lastCalls(this.#entries);
  }

  /** Whether {@link asOf} can tell of that input: always, where it is one of the last few. */
  reachesBackTo(inputSeq: number): boolean {
    return inputSeq >= this.#knownFromSeq;
  }

  /** What was remembered after that input, oldest first. */
  asOf(inputSeq: number): readonly CallMark[] {
    return lastCalls(this.#entriesUpTo(inputSeq));
  }

  #entriesUpTo(inputSeq: number): readonly CallEntry[] {
    return this.#entries.slice(0, this.#entries.findLastIndex((entry) => entry.inputSeq <= inputSeq) + 1);
  }

  #trim(): void {
    const inputSeqs = [...new Set(this.#entries.map((entry) => entry.inputSeq))];
    this.#knownFromSeq = Math.max(
      this.#knownFromSeq,
      inputSeqs.at(-recalledInputsMax - 1) ?? 0,
      this.#entries.at(-recalledEntriesMax - 1)?.inputSeq ?? 0,
    );
    const before = this.#entriesUpTo(this.#knownFromSeq);
    this.#entries = [...lastCalls(before), ...this.#entries.slice(before.length)];
  }
}

/** What is remembered after these entries: of each hash the last call, of those the last ones; oldest first. */
function lastCalls(entries: readonly CallEntry[]): readonly CallMark[] {
  const calls = new Map<string, CallMark>();
  for (let at = entries.length - 1; at >= 0 && calls.size < callsRememberedMax; at--) {
    const entry = entries[at];
    if (entry === undefined || "isClear" in entry) break;
    if (!calls.has(entry.hash)) calls.set(entry.hash, entry);
  }
  return [...calls.values()].reverse();
}

export interface EventMark extends Mark {
  readonly kind: EventKind;
  readonly id: string;
}

/** The last inputs of each other kind, oldest first; they outlive the store (R6). */
export class EventMemory {
  /** Few, and most pods have none: nothing is kept to find them by. */
  readonly #marks: EventMark[] = [];
  /** Marks that were forgotten lately, each with the input that pushed it out, in the order of these. */
  readonly #forgotten: { readonly bySeq: number; readonly mark: EventMark }[] = [];
  #knownFromSeq = 0;

  find(kind: EventKind, id: string): EventMark | undefined {
    return this.#marks.find((mark) => mark.kind === kind && mark.id === id);
  }

  remember(mark: EventMark): void {
    if (this.find(mark.kind, mark.id)) return;
    this.#marks.push(mark);
    const ofKind = this.#marks.filter(({ kind }) => kind === mark.kind);
    const [oldest] = ofKind;
    if (ofKind.length > eventsRememberedMax && oldest) this.#forget(oldest, mark.inputSeq);
  }

  #forget(mark: EventMark, bySeq: number): void {
    this.#marks.splice(this.#marks.indexOf(mark), 1);
    this.#forgotten.push({ bySeq, mark });
    if (this.#forgotten.length > recalledInputsMax) this.#knownFromSeq = this.#forgotten.shift()?.bySeq ?? 0;
  }

  all(): readonly EventMark[] {
    return this.#marks;
  }

  /** Whether {@link asOf} can tell of that input: always, where it is one of the last few. */
  reachesBackTo(inputSeq: number): boolean {
    return inputSeq >= this.#knownFromSeq;
  }

  /** What was remembered after that input, oldest first. */
  asOf(inputSeq: number): readonly EventMark[] {
    const since = this.#forgotten.filter(({ bySeq }) => bySeq > inputSeq).map(({ mark }) => mark);
    return [...since, ...this.#marks].filter((mark) => mark.inputSeq <= inputSeq)
      .sort((a, b) => a.inputSeq - b.inputSeq);
  }
}
