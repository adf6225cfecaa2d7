/** `dump`: the log as lines of JSON. */
import { UsageError } from "../errors.ts";
import type { Command, Given } from "./command.ts";
import { dumpLine } from "./dump_format.ts";
import { podToken } from "./given_values.ts";
import { isSaved, noSuchPod } from "./known_pod.ts";
import type { Part } from "./part.ts";
import { readLog } from "./read_log.ts";

/** What is written at a time. */
const writeCharsMax = 256 * 1024;

export const dump: Command = {
  name: "dump",
  form: "<pod>|--all",
  about: [
    "Prints a pod's part of the log, one message per line as JSON.",
    "What it prints can be read back by replay.",
  ],
  options: { all: { type: "boolean", description: "the whole stream instead of one pod" } },
  async run(world, given) {
    const part = partOf(given);
    await using remote = await world.openRemote();
    let count = 0;
    let lines = "";
    const flush = async (): Promise<void> => {
      const written = lines;
      lines = "";
      await world.out.write(written);
    };
    await readLog(world, remote, part, (message) => {
      count++;
      lines += `${dumpLine(message)}\n`;
      return lines.length > writeCharsMax ? flush() : undefined;
    });
    await flush();
    if (count === 0 && part !== null && !await isSaved(remote.bucket, part)) throw noSuchPod("dump", part);
    if (count === 0) world.err.write("The log has no such messages\n");
    return 0;
  },
};

function partOf(given: Given): Part {
  const pod = given.argument(0);
  if (given.isSet("all") === (pod !== null)) {
    throw new UsageError(
      `Cannot dump: it takes either a pod or --all: got ${pod === null ? "neither" : "both"}`,
    );
  }
  return pod === null ? null : podToken(pod);
}
