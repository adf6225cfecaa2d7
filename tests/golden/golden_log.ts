/** The golden logs as they lie in this folder: what was recorded once, and what it has to lead to for ever. */
import { readDumpedMessage } from "../../src/cli/dump_format.ts";
import type { LogMessage } from "../../src/log/log_message.ts";
import type { TaskView } from "../../src/tasks/task.ts";

/** Keyed by pod. */
export interface GoldenStores {
  readonly [pod: string]: { readonly next_taskid: number; readonly tasks: readonly TaskView[] };
}

export interface GoldenLog {
  readonly name: string;
  /** As `tasuki dump --all` wrote them. */
  readonly lines: readonly string[];
  readonly messages: readonly LogMessage[];
  readonly stores: GoldenStores;
}

const folder = new URL(".", import.meta.url);
const ending = ".jsonl";

export function loadGoldenLogs(): readonly GoldenLog[] {
  const files = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(ending));
  return files.sort().map((file) => loadGoldenLog(file.slice(0, -ending.length)));
}

function loadGoldenLog(name: string): GoldenLog {
  const lines = Deno.readTextFileSync(new URL(name + ending, folder)).trimEnd().split("\n");
  const messages = lines.map((line) => {
    const message = readDumpedMessage(JSON.parse(line));
    if (message === null) throw new Error(`Cannot read ${name}${ending}: got ${line.slice(0, 100)}`);
    return message;
  });
  const stores: GoldenStores = JSON.parse(Deno.readTextFileSync(new URL(`${name}.stores.json`, folder)));
  return { name, lines, messages, stores };
}
