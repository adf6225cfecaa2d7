/**
 * Logs that earlier versions have written: **every later version must pass on them**, as they are. A test that fails here
 * says that somebody's list would be another one after an upgrade. Where rules or formats change, old records keep their
 * meaning (R13, R14, R15), and a new log is added (see `write.ts`).
 */
import { assertEquals } from "@std/assert";
import { dumpLine } from "../../src/cli/dump_format.ts";
import { Fold } from "../../src/log/fold.ts";
import type { LogMessage } from "../../src/log/log_message.ts";
import { idFields } from "../../src/log/read_input.ts";
import { outputKinds, Subjects } from "../../src/log/subjects.ts";
import { type Difference, Verification } from "../../src/log/verify.ts";
import { viewOf } from "../../src/tasks/task.ts";
import { toolNames } from "../../src/tools/names.ts";
import { type GoldenStores, loadGoldenLogs } from "./golden_log.ts";

const subjects = new Subjects("tasks");
const logs = loadGoldenLogs();

/** The stores that the records lead to, of the pods that a store is expected of; throws where a pod is not served. */
function foldedStores(messages: readonly LogMessage[], pods: readonly string[]): GoldenStores {
  const fold = new Fold(subjects);
  for (const message of messages) fold.take(message);
  return Object.fromEntries(pods.map((id) => {
    const podLog = fold.pods.get(id);
    if (!podLog || podLog.notServed !== null || podLog.head) throw new Error(`${id}: ${podLog?.notServed}`);
    const { store } = podLog.pod;
    return [id, { next_taskid: store.nextTaskid, tasks: store.tasks.map((task) => viewOf(task)) }];
  }));
}

for (const { name, lines, messages, stores } of logs) {
  Deno.test(`golden log ${name}: its records lead to the lists that it was written with`, () => {
    assertEquals(foldedStores(messages, Object.keys(stores)), stores);
  });

  Deno.test(`golden log ${name}: deciding every input again gives what is recorded`, () => {
    const differences: Difference[] = [];
    const verification = new Verification(subjects, (difference) => differences.push(difference));
    for (const message of messages) verification.take(message);
    const { kept, unanswered } = verification.finish();
    assertEquals({ differences, kept, unanswered }, { differences: [], kept: 0, unanswered: 0 });
  });

  Deno.test(`golden log ${name}: it is dumped as it was`, () => {
    assertEquals(messages.map(dumpLine), [...lines]);
  });
}

const codes = [
  "invalid_arguments",
  "task_not_found",
  "unknown_tool",
  "blocked",
  "already_claimed",
  "nothing_ready",
  "not_owner",
  "wrong_status",
  "dependency_cycle",
];
const reasons = ["bad_pod", "unknown_input", "not_utf8", "not_json", "bad_envelope", "unsupported_version"];

Deno.test("the golden logs have every input, tool and answer that there is", () => {
  const inputs = new Set<string>();
  const outputs = new Set<string>();
  const answers = new Set<string>();
  for (const { subject, data } of logs.flatMap(({ messages }) => messages)) {
    const { direction, rest = "" } = subjects.parse(subject) ?? {};
    if (direction === "in") inputs.add(rest);
    else {
      outputs.add(rest);
      const { error, reason, result } = JSON.parse(new TextDecoder().decode(data));
      answers.add(result?.structuredContent.error?.code ?? error?.code ?? reason ?? "done");
    }
  }
  const wanted = [...Object.keys(idFields), ...toolNames.map((tool) => `call.${tool}`)];
  assertEquals(wanted.filter((kind) => !inputs.has(kind)), []);
  assertEquals(outputKinds.filter((kind) => !outputs.has(kind)), []);
  assertEquals([...codes, ...reasons].filter((answer) => !answers.has(answer)), []);
});
