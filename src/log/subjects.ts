/** The subjects of SPEC §2, built and read in this file only. */
import { isToken } from "../tools/tokens.ts";

export const outputKinds = ["result", "snapshot", "inject", "event", "rejected"] as const;
export type OutputKind = typeof outputKinds[number];

/** What stands where a pod stands, for inputs whose own pod token is not legal. */
export const noPod = "_";

export type Direction = "in" | "out" | "read";

export interface ParsedSubject {
  /** A legal pod token, or {@link noPod}. */
  readonly pod: string;
  readonly direction: Direction;
  /** What stands after the direction. */
  readonly rest: string;
}

export class Subjects {
  readonly prefix: string;
  readonly #start: string;

  constructor(prefix: string) {
    this.prefix = prefix;
    this.#start = prefix + ".";
  }

  /** What the stream captures. */
  get captured(): readonly string[] {
    return [`${this.prefix}.*.in.>`, `${this.prefix}.*.out.>`];
  }

  get allInputs(): string {
    return `${this.prefix}.*.in.>`;
  }

  get allReads(): string {
    return this.reads("*");
  }

  /** Both lanes of one pod. */
  ofPod(pod: string): string {
    return `${this.prefix}.${pod}.>`;
  }

  /** What one pod is answered. */
  outputsOf(pod: string): string {
    return `${this.prefix}.${pod}.out.>`;
  }

  input(pod: string, rest: string): string {
    return `${this.prefix}.${pod}.in.${rest}`;
  }

  /** What is read of one pod. */
  reads(pod: string): string {
    return `${this.prefix}.${pod}.read.*`;
  }

  output(pod: string, kind: OutputKind): string {
    return `${this.prefix}.${pod}.out.${kind}`;
  }

  /** Null where the subject is none of Tasuki's. */
  parse(subject: string): ParsedSubject | null {
    if (!subject.startsWith(this.#start)) return null;
    const podStart = this.#start.length;
    const podEnd = subject.indexOf(".", podStart);
    const directionEnd = subject.indexOf(".", podEnd + 1);
    if (podEnd < 0 || directionEnd < 0) return null;
    const pod = subject.slice(podStart, podEnd);
    const direction = subject.slice(podEnd + 1, directionEnd);
    if (direction !== "in" && direction !== "out" && direction !== "read") return null;
    return { pod: isToken(pod) ? pod : noPod, direction, rest: subject.slice(directionEnd + 1) };
  }
}
