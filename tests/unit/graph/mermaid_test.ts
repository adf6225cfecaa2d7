import { assertEquals, assertMatch } from "@std/assert";
import { mermaidText } from "../../../src/graph/mermaid.ts";
import { type GivenTask, storeOf } from "../../helpers/stores.ts";

/** Without the definitions of the colours. */
function linesOf(...tasks: readonly GivenTask[]): readonly string[] {
  return mermaidText(storeOf(...tasks)).trimEnd().split("\n").filter((line) =>
    !line.startsWith("  classDef ")
  );
}

Deno.test("mermaidText draws tasks with their signs and arrows from each blocker", () => {
  assertEquals(
    linesOf(
      { status: "completed", subject: "setup database schema" },
      { status: "inprogress", subject: "create API endpoints", owner: "alice", blockedBy: [1] },
      { subject: "write tests", blockedBy: [2, 9] },
    ),
    [
      "flowchart LR",
      '  t9["? 9 missing"]:::missing',
      '  t1["✓ 1 setup database schema"]:::done',
      '  t2["▸ 2 create API endpoints #40;alice#41;"]:::running',
      '  t3["⊘ 3 write tests"]:::blocked',
      "  t1 --> t2",
      "  t2 --> t3",
      "  t9 --> t3",
    ],
  );
});

for (
  const subject of [
    '"]; click t1 href "javascript:alert(1)"',
    "#quot;]; #34;",
    "```\n%%{init: {}}%%",
    "<script>&lt;",
    "`**bold**`",
    "a\u2028t2 --> t1\u202e",
    "\\",
  ]
) {
  Deno.test(`mermaidText keeps ${JSON.stringify(subject)} inside its box`, () => {
    const [, box = "", ...rest] = linesOf({ subject });
    assertMatch(box, /^ {2}t1\["◦ 1 (?:[\p{L}\p{N} ]|#\d+;)*"\]:::ready$/u);
    assertEquals(rest, []);
  });
}

Deno.test("mermaidText cuts long subjects between graphemes", () => {
  const family = "👩‍👩‍👧";
  const [, box = ""] = linesOf({ subject: family.repeat(60) });
  const decoded = box.replaceAll(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
  assertEquals(decoded, `  t1["◦ 1 ${family.repeat(10)}…"]:::ready`);
});
