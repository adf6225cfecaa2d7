/** Where the log is cut: as a row of messages, a letter for each input and its capital for the output. */
import { assertEquals } from "@std/assert";
import type { ReadOptions } from "../../../src/worker/ports.ts";
import { Retention, type RetentionSettings } from "../../../src/worker/retention.ts";
import { LogLines } from "../../helpers/log_lines.ts";
import { type Headers, MemoryLog, subjects } from "../../helpers/memory_log.ts";
import { MemoryReader, stateOf } from "../../helpers/memory_world.ts";
import { UnreachableLog } from "../../helpers/unreachable_log.ts";

/** A log that is never published to, with messages one second apart from second 1 on. */
class RowLog extends UnreachableLog {
  readonly memory = new MemoryLog();
  created = "then";

  constructor(row: string) {
    super();
    this.add(row);
  }

  add(row: string): void {
    const { memory } = this;
    for (const letter of row) {
      const isInput = letter === letter.toLowerCase();
      const input = memory.messages.find(({ subject }) => subject === subjectOf(letter.toLowerCase()));
      const headers: Headers = isInput ? {} : { "Tasuki-Input": `${input?.seq ?? 0}` };
      memory.publish(isInput ? subjectOf(letter) : subjects.output("p", "result"), "", headers);
    }
  }

  override state() {
    return Promise.resolve({ ...stateOf(this.memory), created: this.created });
  }

  override read(options: ReadOptions) {
    return Promise.resolve(new MemoryReader(this.memory, options));
  }

  override get(seq: number) {
    return Promise.resolve(this.memory.at(seq) ?? null);
  }

  override shorten(firstSeq: number): Promise<void> {
    return Promise.resolve(this.memory.shorten(firstSeq - 1));
  }

  get firstSeq(): number {
    return stateOf(this.memory).firstSeq;
  }
}

function subjectOf(letter: string): string {
  return subjects.input("p", `call.${letter}`);
}

function retentionOf(log: RowLog, settings: Partial<RetentionSettings>, nowMs = 0): Retention {
  const all = { keepAgeMs: 0, keepMessages: 0, ...settings };
  return new Retention({ log, subjects, logger: new LogLines(), settings: all, now: () => nowMs });
}

/** The row, the settings, up to where it is saved, and where the log begins then. */
const cuts: readonly [
  row: string,
  settings: Partial<RetentionSettings>,
  position: number,
  firstSeq: number,
][] = [
  ["aAbBcC", {}, 6, 1],
  ["aAbBcC", { keepMessages: 2 }, 6, 5],
  ["aAbBcC", { keepMessages: 1 }, 6, 5],
  ["aAbBcC", { keepMessages: 3 }, 6, 3],
  ["aAbBcC", { keepMessages: 6 }, 6, 1],
  ["aAbBcC", { keepMessages: 60 }, 6, 1],
  ["aAbBcC", { keepMessages: 1 }, 4, 5],
  ["aAbBcC", { keepMessages: 1 }, 3, 3],
  ["aAbBcC", { keepMessages: 1 }, 1, 1],
  ["aAbBcC", { keepMessages: 1 }, 0, 1],
  ["abABcC", { keepMessages: 2 }, 6, 5],
  ["abABcC", { keepMessages: 3 }, 6, 1],
  ["abBcCAdD", { keepMessages: 2 }, 8, 7],
  ["abBcCAdD", { keepMessages: 3 }, 8, 1],
  ["abcdABCD", { keepMessages: 1 }, 8, 1],
  ["AaAbB", { keepMessages: 2 }, 5, 4],
  ["aAbBcC", { keepAgeMs: 2_500 }, 6, 5],
  ["aAbBcC", { keepAgeMs: 3_500 }, 6, 3],
  ["aAbBcC", { keepAgeMs: 60_000 }, 6, 1],
  ["aAbBcCd", { keepAgeMs: 1 }, 6, 7],
  ["aAbBcC", { keepAgeMs: 1, keepMessages: 4 }, 6, 3],
  ["aAbBcC", { keepAgeMs: 3_500, keepMessages: 1 }, 6, 3],
];
const nowMs = 7_000;

for (const [row, settings, position, firstSeq] of cuts) {
  const name = `Retention cuts ${row}, saved up to ${position}, with ${
    JSON.stringify(settings)
  } to begin at ${firstSeq}`;
  Deno.test(name, async () => {
    const log = new RowLog(row);
    await retentionOf(log, settings, nowMs).shorten(position);
    assertEquals(log.firstSeq, firstSeq);
  });
}

Deno.test("Retention goes on where it was, as the log grows", async () => {
  const log = new RowLog("abA");
  const retention = retentionOf(log, { keepMessages: 1 });
  const firstSeqs: number[] = [];
  for (const more of ["B", "c", "Cd", "eDEf", "F"]) {
    log.add(more);
    await retention.shorten(stateOf(log.memory).lastSeq);
    firstSeqs.push(log.firstSeq);
  }
  assertEquals(firstSeqs, [1, 5, 7, 11, 11]);
});

Deno.test("Retention does not wait for the output of an input that was erased", async () => {
  const log = new RowLog("abBcCA");
  const retention = retentionOf(log, { keepMessages: 1 });
  await retention.shorten(5);
  assertEquals(log.firstSeq, 1);
  log.memory.delete(1);
  log.memory.delete(6);
  log.add("dD");
  await retention.shorten(8);
  assertEquals(log.firstSeq, 7);
});

Deno.test("Retention cuts a stream that was made anew, or rewound, by what is in that one", async () => {
  const rewound = new RowLog("aAbBcCdD");
  const recreated = new RowLog("aAbBcCdD");
  for (const log of [rewound, recreated]) {
    const retention = retentionOf(log, { keepMessages: 1 });
    await retention.shorten(8);
    assertEquals(log.firstSeq, 7);
    log.memory.messages.splice(0);
    Object.assign(log, { memory: new RowLog("abcABC").memory });
    if (log === recreated) log.created = "later";
    await retention.shorten(6);
    assertEquals(log.firstSeq, 1);
  }
});
