/** The calls that a pod remembers, to be found by what a repeat of one brings. */
import { callsRememberedMax } from "../tasks/limits.ts";
import type { CallMark } from "./memory.ts";

/** What tells one call from another; calls of one hash have one call id, too (`call_hash.ts`). */
type CallKey = Pick<CallMark, "callId" | "hash">;

/** One call, as nearly always; or those of an id that recurs (R6), keyed by hash. */
type CallsOfId = CallMark | Map<string, CallMark>;

export class CallIndex {
  /** Keyed by call id: one map for both questions, since each look-up of a text is dear. */
  readonly #byCallId = new Map<string, CallsOfId>();
  /** In the order in which they were added; what the map does not have is forgotten, as is all before `#first`. */
  #order: CallMark[] = [];
  #first = 0;
  #size = 0;
  #restored = 0;

  /** @param marks oldest first */
  constructor(marks: readonly CallMark[]) {
    for (const mark of marks) this.add(mark);
  }

  find({ callId, hash }: CallKey): CallMark | undefined {
    const known = this.#byCallId.get(callId);
    if (known instanceof Map) return known.get(hash);
    return known?.hash === hash ? known : undefined;
  }

  knowsCallId(callId: string): boolean {
    return this.#byCallId.has(callId);
  }

  get hasRestored(): boolean {
    return this.#restored > 0;
  }

  /** A call of the same hash is forgotten for it. */
  add(mark: CallMark): void {
    const before = this.find(mark);
    if (before) this.#forget(before);
    const others = this.#byCallId.get(mark.callId);
    if (others === undefined) this.#byCallId.set(mark.callId, mark);
    else if (others instanceof Map) others.set(mark.hash, mark);
    else this.#byCallId.set(mark.callId, new Map([[others.hash, others], [mark.hash, mark]]));
    this.#count(mark, 1);
    this.#order.push(mark);
    while (this.#size > callsRememberedMax) this.#forgetOldest();
    if (this.#order.length >= 2 * callsRememberedMax) this.#trim();
  }

  #count({ isRestored }: CallMark, by: 1 | -1): void {
    this.#size += by;
    if (isRestored) this.#restored += by;
  }

  #forgetOldest(): void {
    const oldest = this.#order[this.#first++];
    if (oldest && this.find(oldest) === oldest) this.#forget(oldest);
  }

  #forget(mark: CallMark): void {
    this.#count(mark, -1);
    const known = this.#byCallId.get(mark.callId);
    if (known instanceof Map) known.delete(mark.hash);
    if (!(known instanceof Map) || known.size === 0) this.#byCallId.delete(mark.callId);
  }

  #trim(): void {
    const left = this.#order.slice(this.#first);
    this.#order = left.length === this.#size ? left : left.filter((mark) => this.find(mark) === mark);
    this.#first = 0;
  }
}
