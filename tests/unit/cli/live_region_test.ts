import { assertEquals } from "@std/assert";
import { LiveRegion } from "../../../src/cli/live_region.ts";
import type { Line } from "../../../src/cli/painted_line.ts";

const begin = "\x1b[?2026h\x1b[?25l\x1b[?7l";
const end = "\x1b[J\x1b[?7h\x1b[?25h\x1b[?2026l";

function regionOf(): { readonly region: LiveRegion; readonly writes: string[] } {
  const writes: string[] = [];
  const out = { isTerminal: true, write: (text: string) => Promise.resolve(void writes.push(text)) };
  return { region: new LiveRegion({ out, isColored: false }), writes };
}

function lines(...texts: string[]): readonly Line[] {
  return texts.map((text) => [{ text }]);
}

const size = { columns: 20, rows: 10 };

Deno.test("LiveRegion draws in one write, the next time over what it drew", async () => {
  const { region, writes } = regionOf();
  await region.draw(lines("one", "two"), size);
  await region.draw(lines("three"), size);
  await region.draw(lines("four", "five"), size);
  assertEquals(writes, [
    `${begin}\rone\x1b[K\r\ntwo\x1b[K\r\n${end}`,
    `${begin}\x1b[2A\rthree\x1b[K\r\n${end}`,
    `${begin}\x1b[1A\rfour\x1b[K\r\nfive\x1b[K\r\n${end}`,
  ]);
});

Deno.test("LiveRegion writes nothing where nothing changed, unless it is told to", async () => {
  const { region, writes } = regionOf();
  await region.draw(lines("one"), size);
  await region.draw(lines("one"), size);
  assertEquals(writes.length, 1);
  await region.redraw(size);
  assertEquals(writes[1], `${begin}\x1b[1A\rone\x1b[K\r\n${end}`);
});

Deno.test("LiveRegion cuts lines before the last column", async () => {
  const { region, writes } = regionOf();
  await region.draw(lines("x".repeat(19), "y".repeat(20), "日".repeat(10)), size);
  assertEquals(writes, [
    `${begin}\r${"x".repeat(19)}\x1b[K\r\n${"y".repeat(18)}…\x1b[K\r\n${"日".repeat(9)}…\x1b[K\r\n${end}`,
  ]);
});

Deno.test("LiveRegion goes up over the rows that a narrower terminal has made of its lines", async () => {
  const { region, writes } = regionOf();
  await region.draw(lines("x".repeat(15), "", "z"), size);
  await region.draw(lines("x".repeat(15), "", "z"), { columns: 8, rows: 10 });
  assertEquals(writes[1], `${begin}\x1b[4A\r${"x".repeat(6)}…\x1b[K\r\n\x1b[K\r\nz\x1b[K\r\n${end}`);
});
