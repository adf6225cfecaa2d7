/** `replay`: the list that a session's log leads to, and its way into a pod (SPEC §7). */
import { OperatorError, UsageError } from "../errors.ts";
import { restore, type Restored } from "../log/restore.ts";
import { listText } from "../tasks/list_text.ts";
import { isRefusal } from "../tasks/refusal.ts";
import { emptyStore, type TaskStore } from "../tasks/store.ts";
import { viewOf } from "../tasks/task.ts";
import type { Command, Given } from "./command.ts";
import { foldDump } from "./fold_dump.ts";
import { requiredArgument } from "./given_values.ts";
import type { World } from "./ports.ts";
import { Progress } from "./progress.ts";
import { type History, readHistory } from "./read_history.ts";
import { readLines } from "./read_text.ts";
import { type Replayed, restoreInto, restoreTargetOf } from "./restore_into.ts";
import { jsonForTerminal, lineForTerminal, linesForTerminal } from "./terminal_text.ts";

export const replay: Command = {
  name: "replay",
  form: "<file>",
  about: [
    "Prints the task list that a session log leads to, or restores it into a pod.",
    "A session log is a dump of tasuki, a Claude Code transcript, or entries as in a restore; - is standard input.",
  ],
  options: {
    into: { type: "string", value: "<pod>", description: "pod to restore into" },
    mode: { type: "string", value: "<mode>", description: "into_empty (the default) or replace" },
    pod: { type: "string", value: "<pod>", description: "which pod, of a dump that holds several" },
    "timeout-ms": {
      type: "string",
      value: "<ms>",
      description: "how long to wait for the answer; by default 10000",
    },
    json: { type: "boolean", description: "the list as JSON" },
  },
  async run(world, given) {
    const target = restoreTargetOf(given);
    const replayed = await replayFile(world, given, requiredArgument(given, 0));
    if (target) await restoreInto(world, target, replayed);
    await world.out.write(
      given.isSet("json") ? storeJson(replayed.store) : `${linesForTerminal(listText(replayed.store))}\n`,
    );
    return 0;
  },
};

async function replayFile(world: World, given: Given, path: string): Promise<Replayed> {
  const history = await historyOf(world, path);
  if (history.form !== null) reportReading(world, history);
  switch (history.form) {
    case "a dump of Tasuki":
      return { store: dumpedStore(world, given, history), entries: null };
    case "a Claude Code transcript":
    case "a list of entries":
      return { store: restoredStore(world, history), entries: history.entries };
    case null:
      throw new OperatorError(
        `Cannot replay ${
          JSON.stringify(path)
        }: it must be a dump of tasuki, a Claude Code transcript or a list of entries`,
      );
  }
}

async function historyOf({ openFile, err, nowMs }: World, path: string): Promise<History> {
  const source = await openFile(path);
  using progress = new Progress({ err, unit: "bytes", total: source.bytesTotal, nowMs });
  return await readHistory(readLines(source, (bytesDone) => progress.reached(bytesDone)));
}

const linesNamedMax = 10;

function reportReading({ err }: World, { form, linesCount, brokenLines, repeatedLines }: History): void {
  const say = (line: string): void => err.write(`${lineForTerminal(line)}\n`);
  say(`Read ${linesCount} line(s) as ${form}`);
  if (repeatedLines > 0) say(`Left out ${repeatedLines} line(s) that stand in it once more`);
  for (const { line, problem } of brokenLines.slice(0, linesNamedMax)) {
    say(`Left out line ${line}: ${problem}`);
  }
  if (brokenLines.length > linesNamedMax) say(`Left out ${brokenLines.length - linesNamedMax} more line(s)`);
}

function dumpedStore({ subjects, err }: World, given: Given, { messages }: History): TaskStore {
  const { pods, recorded, decided } = foldDump(messages, subjects);
  const names = [...pods.keys()].sort();
  const name = given.text("pod") ?? (names.length === 1 ? names[0] : undefined);
  const pod = name === undefined ? undefined : pods.get(name);
  if (!pod) {
    const rule = name === undefined
      ? "name one of its pods with --pod"
      : `it has no pod ${JSON.stringify(name)}`;
    throw new UsageError(`Cannot replay the dump: ${rule}: got ${names.join(", ") || "none"}`);
  }
  err.write(`${recorded} input(s) as recorded, ${decided} without an answer decided now\n`);
  return pod.store;
}

function restoredStore({ nowMs, err }: World, { entries }: History): TaskStore {
  const restored = restore(emptyStore(), { entries, mode: "replace" }, nowMs());
  if (isRefusal(restored)) throw new OperatorError(`Cannot replay: ${restored.message}`);
  err.write(restoreLines(restored));
  return restored.store;
}

function restoreLines({ applied, snapshots, passedOver, differing }: Restored): string {
  const why = Object.entries(passedOver).filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${reason.replaceAll("_", " ")}`);
  const lines = [
    `${applied} call(s) and ${snapshots} snapshot(s) applied; passed over: ${why.join(", ") || "none"}`,
    ...differing.map(({ call_id, given, counted }) =>
      `The result of ${call_id} gave taskid ${given}, the count would have given ${counted}`
    ),
  ];
  return lines.map((line) => `${lineForTerminal(line)}\n`).join("");
}

function storeJson({ tasks, counts, nextTaskid }: TaskStore): string {
  return jsonForTerminal({ tasks: tasks.map((task) => viewOf(task)), counts, next_taskid: nextTaskid }, 2) +
    "\n";
}
