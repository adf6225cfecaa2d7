/** An input that cannot be answered otherwise than by `out.rejected`. Thrown by the readers of inputs only. */

export type RejectedReason =
  | "bad_pod"
  | "unknown_input"
  | "not_utf8"
  | "not_json"
  | "bad_envelope"
  | "unsupported_version"
  | "fault"
  | "too_large";

export class RejectedInput extends Error {
  override readonly name = "RejectedInput";
  readonly reason: RejectedReason;

  /** @param detail a sentence for whoever published the input */
  constructor(reason: RejectedReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}
