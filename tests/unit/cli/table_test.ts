import { assertEquals } from "@std/assert";
import { age, timeOfDay } from "../../../src/cli/age.ts";
import { didYouMean } from "../../../src/cli/did_you_mean.ts";
import { Progress } from "../../../src/cli/progress.ts";
import { tableText } from "../../../src/cli/table.ts";

Deno.test("tableText() makes columns as wide as their cells are shown", () => {
  const rows = [["pod", "tasks"], ["日本", "7"], ["a", "1200"]];
  assertEquals(tableText(rows, ["left", "right"]), "pod   tasks\n日本      7\na      1200\n");
  assertEquals(tableText(rows), "pod   tasks\n日本  7\na     1200\n");
  assertEquals(tableText([]), "");
});

Deno.test("age() says it in the largest unit that is full", () => {
  const seconds: readonly [seconds: number, text: string][] = [
    [-5, "0s"],
    [0, "0s"],
    [59, "59s"],
    [60, "1m"],
    [3_599, "59m"],
    [3_600, "1h"],
    [86_399, "23h"],
    [86_400, "1d"],
    [86_400 * 400, "400d"],
  ];
  for (const [value, text] of seconds) assertEquals(age(0, value * 1_000), text);
  assertEquals(/^\d\d:\d\d:\d\d$/.test(timeOfDay(1e12)), true);
});

Deno.test("didYouMean() names the nearest word, where one is near", () => {
  const words = ["watch", "pods", "verify"];
  assertEquals(didYouMean("wach", words), ": did you mean watch?");
  assertEquals(didYouMean("verfiy", words), ": did you mean verify?");
  assertEquals(didYouMean("pod", words), ": did you mean pods?");
  assertEquals(didYouMean("frobnicate", words), "");
  assertEquals(didYouMean("", ["ab"]), "");
});

Deno.test("Progress says nothing at first, then how far it is, and clears its line in the end", () => {
  let nowMs = 0;
  let said = "";
  const err = { isTerminal: true, write: (text: string) => void (said += text) };
  {
    using progress = new Progress({ err, unit: "messages", total: 20_000, nowMs: () => nowMs });
    progress.reached(1_000);
    assertEquals(said, "");
    nowMs = 500;
    progress.reached(9_000);
    progress.reached(9_001);
    assertEquals(said, "\r\x1b[K9,000 of 20,000 messages");
  }
  assertEquals(said, "\r\x1b[K9,000 of 20,000 messages\r\x1b[K");
});

Deno.test("Progress says nothing where no terminal shows it", () => {
  let said = "";
  const err = { isTerminal: false, write: (text: string) => void (said += text) };
  let nowMs = 0;
  {
    using progress = new Progress({ err, unit: "bytes", total: null, nowMs: () => nowMs });
    nowMs = 10_000;
    progress.reached(5);
  }
  assertEquals(said, "");
});
