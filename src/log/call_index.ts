/** The calls that a pod remembers, to be found by what a repeat of one brings. */
import { callsRememberedMax } from "../tasks/limits.ts";
import type { CallMark } from "./memory.ts";

/** What tells one call from another; calls of one hash have one call id, too (`call_hash.ts`). */
type CallKey = Pick<CallMark, "callId" | "hash">;

export class CallIndex {
  /**
   * Keyed by call id: nearly always one call, which then takes no list. One map for both questions, since each look-up
   * of a text is dear.
   */
  readonly #byCallId = new Map<string, CallMark | readonly CallMark[]>();
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
    if (known === undefined || "hash" in known) return known?.hash === hash ? known : undefined;
    return known.find((mark) => mark.hash === hash);
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
    this.#byCallId.set(mark.callId, others === undefined ? mark : [others, mark].flat());
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
    const others = [this.#byCallId.get(mark.callId) ?? []].flat().filter((other) => other !== mark);
    const [only] = others;
    if (only === undefined) this.#byCallId.delete(mark.callId);
    else this.#byCallId.set(mark.callId, others.length === 1 ? only : others);
  }

  #trim(): void {
    const left = this.#order.slice(this.#first);
    this.#order = left.length === this.#size ? left : left.filter((mark) => this.find(mark) === mark);
    this.#first = 0;
  }
}
