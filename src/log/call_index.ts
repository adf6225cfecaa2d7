/** The calls that a pod remembers, to be found by what a repeat of one brings. */
import { callsRememberedMax } from "../tasks/limits.ts";
import type { CallMark } from "./memory.ts";

/** What tells one call from another; calls of one hash have one call id, too (`call_hash.ts`). */
type CallKey = Pick<CallMark, "callId" | "hash">;

export class CallIndex {
  /** Keyed by call id: nearly always one call. One map for both questions, since each look-up of a text is dear. */
  readonly #byCallId = new Map<string, readonly CallMark[]>();
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
    return this.#byCallId.get(callId)?.find((mark) => mark.hash === hash);
  }

  knowsCallId(callId: string): boolean {
    return this.#byCallId.has(callId);
  }

  get hasRestored(): boolean {
    return this.#restored > 0;
  }

  /** A call of the same hash is forgotten for it. */
  add(mark: CallMark): void {
    const same = this.#byCallId.get(mark.callId) ?? [];
    const before = same.find((other) => other.hash === mark.hash);
    if (before) this.#count(before, -1);
    this.#count(mark, 1);
    this.#byCallId.set(mark.callId, [...same.filter((other) => other !== before), mark]);
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
    const same = this.#byCallId.get(oldest?.callId ?? "");
    if (!oldest || !same?.includes(oldest)) return;
    this.#count(oldest, -1);
    if (same.length === 1) this.#byCallId.delete(oldest.callId);
    else this.#byCallId.set(oldest.callId, same.filter((mark) => mark !== oldest));
  }

  #trim(): void {
    const left = this.#order.slice(this.#first);
    this.#order = left.length === this.#size ? left : left.filter((mark) => this.find(mark) === mark);
    this.#first = 0;
  }
}
