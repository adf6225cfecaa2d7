/** No input takes more than its size is worth: time grows with the size, not with its square; answers stay small. */
import { assertEquals } from "@std/assert";
import { decideInput } from "../../../src/log/decide_input.ts";
import { Pod } from "../../../src/log/pod.ts";
import { readInput } from "../../../src/log/read_input.ts";
import { RejectedInput } from "../../../src/log/rejected_input.ts";
import { messageBytesMax } from "../../../src/tasks/limits.ts";
import { type HostileInput, hostileInputs } from "../../helpers/hostile_inputs.ts";

interface Taken {
  readonly ms: number;
  readonly answerBytes: number;
}

/** The best of three: other work on the machine takes time, too. */
function take({ rest, make }: HostileInput, chars: number): Taken {
  const data = new TextEncoder().encode(make(chars));
  let ms = Infinity;
  let answer: unknown;
  for (let round = 0; round < 3; round++) {
    const startedMs = performance.now();
    answer = answerOf(rest, data);
    ms = Math.min(ms, performance.now() - startedMs);
  }
  return { ms, answerBytes: new TextEncoder().encode(JSON.stringify(answer)).length };
}

function answerOf(rest: string, data: Uint8Array): unknown {
  try {
    const outcome = decideInput(new Pod("p"), readInput(rest, data), { inputSeq: 1, atMs: 0 });
    return "output" in outcome ? outcome.output.body : "a repeat";
  } catch (error) {
    if (error instanceof RejectedInput) return error.message;
    throw error;
  }
}

const smallChars = 100_000;
const growth = 8;
/** With the square of the size it would be 64. What takes a second on a busy machine is none that matters. */
const slowdownMax = 32;
const shortMs = 1_000;

for (const input of hostileInputs) {
  Deno.test(`${input.name} is answered in time and space that its size is worth`, () => {
    const small = take(input, smallChars);
    const large = take(input, growth * smallChars);
    const isLinear = large.ms < shortMs || large.ms < slowdownMax * small.ms;
    const fits = large.answerBytes < messageBytesMax;
    assertEquals({ isLinear, fits }, { isLinear: true, fits: true }, `${small.ms} ms, ${large.ms} ms`);
  });
}
