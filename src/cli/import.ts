/** `import`: a folder with a file per task as a pod's list (SPEC §9). */
import { OperatorError } from "../errors.ts";
import { readFolder } from "../files/read_folder.ts";
import { isRefusal } from "../tasks/refusal.ts";
import type { Command } from "./command.ts";
import { reportNotes } from "./file_report.ts";
import { podToken, requiredArgument, timeoutOf } from "./given_values.ts";
import { modeOf, restoreInto } from "./restore_into.ts";

export const importFiles: Command = {
  name: "import",
  form: "<pod> <folder>",
  about: [
    "Reads a folder with a JSON file per task into a pod's list.",
    "What cannot be read is named and left out, the rest is imported; then the command fails.",
  ],
  options: {
    mode: { type: "string", value: "<mode>", description: "into_empty (the default) or replace" },
    "timeout-ms": {
      type: "string",
      value: "<ms>",
      description: "how long to wait for the answer; by default 10000",
    },
  },
  async run(world, given) {
    const target = {
      pod: podToken(requiredArgument(given, 0)),
      mode: modeOf(given),
      timeoutMs: timeoutOf(given),
    };
    const path = requiredArgument(given, 1);
    const reading = await readFolder(world.openFolder(path), world.nowMs());
    if (isRefusal(reading)) {
      throw new OperatorError(`Cannot import ${JSON.stringify(path)}: ${reading.message}`);
    }
    const { store, notes } = reading;
    reportNotes(world, notes);
    const count = store.tasks.length;
    if (count === 0) throw new OperatorError(`Cannot import ${JSON.stringify(path)}: it holds no task`);
    await restoreInto(world, target, { store, entries: null });
    await world.out.write(`Imported ${count} task(s) into pod ${target.pod}\n`);
    return notes.some(({ isLeftOut }) => isLeftOut) ? 1 : 0;
  },
};
