import { assertEquals, assertMatch } from "@std/assert";
import { svgArrowsMax, svgBoxesMax, svgText } from "../../../src/graph/svg.ts";
import { type GivenTask, storeOf } from "../../helpers/stores.ts";

/** @throws {Error} when it is too large to be drawn */
function svgOf(...tasks: readonly GivenTask[]): string {
  const svg = svgText(storeOf(...tasks));
  if (typeof svg !== "string") throw new Error(JSON.stringify(svg));
  return svg;
}

/** The texts of the boxes, in the order in which they are drawn. */
function textsOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, text = ""]) =>
    text.replaceAll(/<\/?tspan[^>]*>/g, "")
  );
}

/** How often each element and each class is used. */
function countsOf(svg: string, pattern: RegExp): { readonly [name: string]: number } {
  const counts: { [name: string]: number } = {};
  for (const [, name = ""] of svg.matchAll(pattern)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

const looks = [
  { status: "completed", subject: "a" },
  { status: "inprogress", subject: "b", owner: "al", blockedBy: [1] },
  { subject: "c", blockedBy: [2, 9] },
  { subject: "d", blockedBy: [1] },
  { subject: "e", owner: "bo" },
  { status: "deleted", subject: "f", owner: "bo" },
] as const satisfies readonly GivenTask[];

Deno.test("svgText draws a box for each task and each missing one, and an arrow for each edge", () => {
  const svg = svgOf(...looks);
  assertEquals(textsOf(svg), [
    ...[
      "9 missing",
      "1 done",
      "a",
      "2 running · al",
      "b",
      "3 blocked",
      "c",
      "4 ready",
      "d",
      "5 claimed · bo",
      "e",
    ],
    ...["6 deleted", "f"],
  ]);
  const boxes = { missing: 1, done: 1, running: 1, blocked: 1, ready: 1, claimed: 1, deleted: 1 };
  assertEquals(countsOf(svg, /<svg class="(\w+)"/g), boxes);
  assertEquals(countsOf(svg, /<path class="arrow (\w+)"/g), { passed: 2, waiting: 2 });
});

Deno.test("svgText is for light and dark pages, and takes nothing from elsewhere", () => {
  const svg = svgOf(...looks);
  assertMatch(svg, /@media \(prefers-color-scheme: dark\)/);
  assertEquals(Object.keys(countsOf(svg, /<(\w+)/g)).sort(), [
    ...["defs", "marker", "path", "rect", "style", "svg", "text", "title", "tspan"],
  ]);
  assertEquals(svg.match(/href|@import|@font-face|url\((?!#)|\son\w+=|<script/g), null);
  const addresses = [...svg.matchAll(/https?:[^"]*/g)].map(([address]) => address);
  assertEquals(addresses, ["http://www.w3.org/2000/svg"]);
});

Deno.test("svgText names the picture's class in every rule, so that none reaches a page in which it stands", () => {
  const [, style = ""] = /<style>\n([^]*)\n<\/style>/.exec(svgOf({})) ?? [];
  const selectors = [...style.matchAll(/([^{}]+)\{[^{}]*\}/g)].flatMap(([, list = ""]) => list.split(","));
  assertEquals(selectors.filter((selector) => !/^\s*(?:@media .*\{\s*)?\.tasuki /.test(selector)), []);
});

Deno.test("svgText escapes what subjects say", () => {
  const svg = svgOf({ subject: `</text><script>'"&amp;` }, { subject: "\0\x1b\ufffe \u202e\u0085" });
  assertEquals(textsOf(svg), [
    "1 ready",
    "&lt;/text&gt;&lt;script&gt;&apos;&quot;&amp;amp;",
    "2 ready",
    String.raw`\u0000\u001b\ufffe`,
    String.raw`\u202e\u0085`,
  ]);
  // What XML 1.0 does not have at all.
  assertEquals(svg.match(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u), null);
});

Deno.test("svgText cuts long subjects to three lines, and has them whole for whoever points at the box", () => {
  const subject = "long ".repeat(100).trim();
  const svg = svgOf({ subject });
  const line = "long long long long long";
  assertEquals(textsOf(svg).slice(1).map((text) => text.startsWith(line)), [true, true, true]);
  assertEquals(svg.includes(`<title>1 ready: ${subject}</title>`), true);
});

Deno.test("svgText says so where there is nothing to draw", () => {
  assertEquals(textsOf(svgOf()), ["no tasks yet"]);
});

Deno.test("svgText draws no more than can be laid out and read", () => {
  const many = Array.from({ length: svgBoxesMax + 1 }, () => ({}));
  assertEquals(svgText(storeOf(...many)), { boxes: svgBoxesMax + 1, arrows: 0 });
  const dense = Array.from(
    { length: 60 },
    (_, index) => ({ blockedBy: Array.from({ length: index }, (_, i) => i + 1) }),
  );
  assertEquals(60 * 59 / 2 > svgArrowsMax, true);
  assertEquals(svgText(storeOf(...dense)), { boxes: 60, arrows: 60 * 59 / 2 });
});
