/** `verify`: whether the log still decides to what it says (R14). */
import { type Difference, Verification } from "../log/verify.ts";
import type { Command } from "./command.ts";
import { readLog } from "./read_log.ts";
import { lineForTerminal } from "./terminal_text.ts";

export const verify: Command = {
  name: "verify",
  form: "",
  about: [
    "Decides the whole log again and compares with the outputs that are recorded.",
    "It prints a line for each difference, and fails where there is one.",
  ],
  options: {},
  async run(world, _given) {
    await using remote = await world.openRemote();
    const found: Difference[] = [];
    const verification = new Verification(world.subjects, (difference) => found.push(difference));
    await readLog(world, remote, null, (message) => verification.take(message));
    const { pods, verified, kept, unanswered } = verification.finish();
    const keptText = kept === 0 ? "" : `, ${kept} taken as recorded`;
    const summary =
      `${verified} inputs of ${pods} pods verified, ${found.length} differences, ${unanswered} unanswered${keptText}`;
    await world.out.write([...found.map(differenceLine), summary].map((line) => `${line}\n`).join(""));
    return found.length === 0 ? 0 : 1;
  },
};

function differenceLine({ pod, inputSeq, text }: Difference): string {
  return lineForTerminal(`pod ${pod}${inputSeq === null ? "" : `, input ${inputSeq}`}: ${text}`);
}
