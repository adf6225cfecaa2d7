/** The model of the crash tests is itself compared with the kernel, where nothing crashes. */
import { assertEquals } from "@std/assert";
import { Chance } from "../helpers/chance.ts";
import { checkLog } from "../helpers/crash_checks.ts";
import { PodInputs } from "../helpers/crash_inputs.ts";
import { MemoryLog, MemoryWorker } from "../helpers/memory_log.ts";
import { outputProblems, type Recorded } from "../helpers/session_log.ts";

function recorded({ messages }: MemoryLog): readonly Recorded[] {
  return messages.map(({ seq, timeMs, subject, data, header }) => {
    const [, pod = "", direction = "", ...rest] = subject.split(".");
    const names = ["Tasuki-Input", "Tasuki-Call"].filter((name) => header(name) !== null);
    const headers = Object.fromEntries(names.map((name) => [name, header(name) ?? ""]));
    return { seq, timeMs, subject, pod, direction, rest: rest.join("."), headers, data };
  });
}

function textOf(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}

function logOf(seed: number, count: number): readonly Recorded[] {
  const chance = new Chance(seed);
  const pods = ["p1", "p2", "p3"].map((pod) => new PodInputs(pod, chance.fork()));
  const log = new MemoryLog();
  const worker = new MemoryWorker(log);
  for (let sent = 0; sent < count; sent++) {
    const { subject, data } = chance.pick(pods).next();
    // The kernel alone knows no bad pods.
    if (!subject.includes("$")) log.publish(subject, data);
    if (chance.percent(30)) worker.settle();
  }
  worker.settle();
  return recorded(log);
}

Deno.test("the model answers as the kernel does", () => {
  const seed = Math.floor(Math.random() * 1_000_000);
  assertEquals(checkLog(logOf(seed, 3_000)).problems, [], `seed ${seed}`);
});

Deno.test("the checks of a log find a missing, a doubled and a changed output", () => {
  const log = logOf(7, 60);
  const first = log.find(({ direction }) => direction === "out")!;
  const shows = log.find(({ direction, data }) =>
    direction === "out" && textOf(data).includes('"task":{"taskid":')
  )!;
  const changed = {
    ...shows,
    data: new TextEncoder().encode(textOf(shows.data).replaceAll('"taskid":', '"taskid":1')),
  };

  assertEquals(outputProblems(log.filter((message) => message !== first)).length, 1);
  assertEquals(checkLog([...log, { ...first, seq: log.length + 1 }]).problems.length > 0, true);
  assertEquals(
    checkLog(log.map((message) => message === shows ? changed : message)).problems.length > 0,
    true,
  );
});
