/** `verify`: whether the log still decides to what it says (R14). */
import type { LogMessage } from "../log/log_message.ts";
import { type Difference, Verification } from "../log/verify.ts";
import type { Command } from "./command.ts";
import { readFromStart } from "./read_log.ts";
import { lineForTerminal } from "./terminal_text.ts";

export const verify: Command = {
  name: "verify",
  form: "",
  about: [
    "Decides the whole log again and compares with the outputs that are recorded.",
    "It fails where there is a difference, with a line for each; a shortened log is verified behind its checkpoint.",
  ],
  options: {},
  async run(world, _given) {
    await using remote = await world.openRemote();
    const { found, verification, afterSeq } = await readFromStart(world, remote, null, (start) => {
      const found: Difference[] = [];
      const verification = new Verification(world.subjects, (difference) => found.push(difference), start);
      const take = (message: LogMessage): void => verification.take(message);
      return { found, verification, take, afterSeq: start.afterSeq };
    });
    const { pods, verified, kept, unanswered } = verification.finish();
    const keptText = kept === 0 ? "" : `, ${kept} taken as recorded`;
    const fromText = afterSeq === 0 ? "" : `, from seq ${afterSeq + 1} on`;
    const summary = `${verified} inputs of ${pods} pods verified, ${found.length} differences, ` +
      `${unanswered} unanswered${keptText}${fromText}`;
    await world.out.write([...found.map(differenceLine), summary].map((line) => `${line}\n`).join(""));
    return found.length === 0 ? 0 : 1;
  },
};

function differenceLine({ pod, inputSeq, text }: Difference): string {
  return lineForTerminal(`pod ${pod}${inputSeq === null ? "" : `, input ${inputSeq}`}: ${text}`);
}
