import { assertEquals } from "@std/assert";
import { cutLine, type Line, lineWidth, paint } from "../../../src/cli/painted_line.ts";

const line: Line = [{ text: "ab", style: "bold" }, { text: "日本" }, { text: "cd", style: "dim" }];

Deno.test("cutLine() keeps a line that fits, and else ends it with an ellipsis in its own style", () => {
  assertEquals(lineWidth(line), 8);
  assertEquals(cutLine(line, 8), line);
  const cuts = [7, 6, 5, 4, 3, 2, 1, 0].map((columns) => paint(cutLine(line, columns), false));
  assertEquals(cuts, ["ab日本…", "ab日…", "ab日…", "ab…", "ab…", "a…", "…", ""]);
  for (const columns of [7, 6, 5, 4, 3, 2, 1]) {
    assertEquals(lineWidth(cutLine(line, columns)) <= columns, true);
  }
  assertEquals(cutLine(line, 2), [{ text: "a…", style: "bold" }]);
});

Deno.test("paint() uses colours where they are wanted only", () => {
  assertEquals(paint(line, false), "ab日本cd");
  assertEquals(paint(line, true), "\x1b[1mab\x1b[0m日本\x1b[2mcd\x1b[0m");
});
