/** `replay`: the list that a session's log leads to, and its way into a pod (SPEC §7). */
import { OperatorError, UsageError } from "../errors.ts";
import { restore, type Restored } from "../log/restore.ts";
import { carriedOverText, listText } from "../tasks/list_text.ts";
import { isRefusal } from "../tasks/refusal.ts";
import { emptyStore, type TaskStore } from "../tasks/store.ts";
import { viewOf } from "../tasks/task.ts";
import type { Command, Given } from "./command.ts";
import { exchange } from "./exchange.ts";
import { foldDump } from "./fold_dump.ts";
import { podToken, requiredArgument, timeoutOf } from "./given_values.ts";
import { readOutputBody } from "./output_body.ts";
import type { World } from "./ports.ts";
import { Progress } from "./progress.ts";
import { type History, readHistory } from "./read_history.ts";
import { readLines } from "./read_text.ts";
import { jsonForTerminal, lineForTerminal, linesForTerminal } from "./terminal_text.ts";

/** Bytes of entries that are sent as they are; the store of more is sent as one snapshot. */
const entriesBytesMax = 900 * 1024;

export const replay: Command = {
  name: "replay",
  form: "<file>",
  about:
    "Reads a session log (a dump of tasuki, a Claude Code transcript, or entries as in a restore; - is standard " +
    "input) and prints the task list that it leads to. With --into the list is restored into a pod.",
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
    const into = intoOf(given);
    const replayed = await replayFile(world, given, requiredArgument(given, 0));
    if (into) await publish(world, into, replayed);
    await world.out.write(
      given.isSet("json") ? storeJson(replayed.store) : `${linesForTerminal(listText(replayed.store))}\n`,
    );
    return 0;
  },
};

interface Into {
  readonly pod: string;
  readonly mode: string;
  readonly timeoutMs: number;
}

function intoOf(given: Given): Into | null {
  const mode = given.text("mode") ?? "into_empty";
  if (mode !== "into_empty" && mode !== "replace") {
    throw new UsageError(`Cannot restore: --mode is into_empty or replace: got ${JSON.stringify(mode)}`);
  }
  const pod = given.text("into");
  return pod === null ? null : { pod: podToken(pod), mode, timeoutMs: timeoutOf(given) };
}

interface Replayed {
  readonly store: TaskStore;
  /** What led to it, where it can be told in entries. */
  readonly entries: readonly unknown[] | null;
}

async function replayFile(world: World, given: Given, path: string): Promise<Replayed> {
  const source = await world.openFile(path);
  const { err, nowMs } = world;
  using progress = new Progress({ err, unit: "bytes", total: source.bytesTotal, nowMs });
  const history = await readHistory(readLines(source, (bytesDone) => progress.reached(bytesDone)));
  progress[Symbol.dispose]();
  reportReading(world, history);
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

const linesNamedMax = 10;

function reportReading({ err }: World, { form, linesCount, brokenLines, repeatedLines }: History): void {
  const say = (line: string): void => err.write(`${lineForTerminal(line)}\n`);
  if (form !== null) say(`Read ${linesCount} line(s) as ${form}`);
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

/** Restores into the pod; a history too large for one message, or known by its store alone, as one snapshot (§7). */
async function publish(
  world: World,
  { pod, mode, timeoutMs }: Into,
  { store, entries }: Replayed,
): Promise<void> {
  const isSmall = entries !== null &&
    new TextEncoder().encode(JSON.stringify(entries)).length <= entriesBytesMax;
  const snapshot = { type: "message", role: "system", text: carriedOverText(store) };
  const content = { restore_id: world.freshId(), mode, entries: isSmall ? entries : [snapshot] };
  await using remote = await world.openRemote();
  const { inputSeq, output } = await exchange(world, remote, {
    pod,
    rest: "session.restore",
    content,
    timeoutMs,
  });
  if (output === null) {
    throw new OperatorError(
      `No answer in time: the restore is in the log at seq ${inputSeq} and will be answered when a worker runs`,
    );
  }
  const { error, kind } = readOutputBody(output.data) ?? {};
  if (error || kind !== "session.restore") {
    throw new OperatorError(
      `Cannot restore into pod ${pod}: ${error?.message ?? "the answer is none to a restore"}`,
    );
  }
  world.err.write(`Restored into pod ${pod} at seq ${inputSeq}\n`);
}
