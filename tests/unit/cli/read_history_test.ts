import { assertEquals } from "@std/assert";
import { type History, readHistory } from "../../../src/cli/read_history.ts";
import { readLines } from "../../../src/cli/read_text.ts";
import { bytesOf } from "../../helpers/memory_log.ts";

async function historyOf(text: string): Promise<History> {
  const bytes = bytesOf(text);
  const source = {
    bytesTotal: bytes.length,
    async *[Symbol.asyncIterator]() {
      for (let start = 0; start < bytes.length; start += 5) yield await bytes.subarray(start, start + 5);
    },
  };
  return await readHistory(readLines(source, () => {}));
}

const call = { type: "tool_call", call_id: "a", name: "TaskCreate", arguments: { subject: "x" } };
const result = { type: "tool_result", call_id: "a" };
const message = { seq: 1, time: "2026-01-01T00:00:00.000Z", subject: "tasks.p.in.x", headers: {}, data: {} };
const transcriptLine = {
  type: "assistant",
  uuid: "u1",
  message: { content: [{ type: "tool_use", id: "a", name: "TaskCreate", input: { subject: "x" } }] },
};

function jsonl(...values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

Deno.test("readHistory() tells the form by the content", async () => {
  const forms: readonly [text: string, form: History["form"]][] = [
    [jsonl(message), "a dump of Tasuki"],
    [jsonl({ type: "summary", summary: "x", leafUuid: "l" }, transcriptLine), "a Claude Code transcript"],
    [jsonl(call, result), "a list of entries"],
    [JSON.stringify([call]), "a list of entries"],
    [JSON.stringify({ entries: [call] }, null, 2), "a list of entries"],
    ["[]", "a list of entries"],
    ["", null],
    ["{}\n[1", null],
    ["hello\nworld\n", null],
  ];
  for (const [text, form] of forms) assertEquals((await historyOf(text)).form, form, text);
});

Deno.test("readHistory() reads entries from lines, a list, or an object over many lines", async () => {
  const entries = [call, result];
  for (
    const text of [
      jsonl(...entries),
      jsonl(...entries).trimEnd(),
      `\n${jsonl(...entries).replaceAll("\n", "\r\n\r\n")}`,
      JSON.stringify(entries),
      JSON.stringify(entries, null, 2),
      JSON.stringify({ restore_id: "r", entries }, null, 2),
    ]
  ) {
    const history = await historyOf(text);
    assertEquals(history.entries, entries, text);
    assertEquals(history.brokenLines, [], text);
  }
});

Deno.test("readHistory() leaves out broken lines and names them, the first one too", async () => {
  const text = `{"type":"tool_call","call_id\n${jsonl(call)}garbage\n${jsonl(result)}{"type":"tool_res`;
  const history = await historyOf(text);
  assertEquals(history.entries, [call, result]);
  assertEquals(history.linesCount, 5);
  assertEquals(history.brokenLines.map(({ line, problem }) => [line, problem]), [
    [1, "it is not JSON"],
    [3, "it is not JSON"],
    [5, "it is not JSON"],
  ]);
});

Deno.test("readHistory() leaves out what is no part of the form", async () => {
  const history = await historyOf(jsonl(message, call, transcriptLine));
  assertEquals(history.messages.length, 1);
  assertEquals(history.brokenLines.map(({ line, problem }) => [line, problem]), [
    [2, "it is no part of a dump of Tasuki"],
    [3, "it is no part of a dump of Tasuki"],
  ]);
});

Deno.test("readHistory() counts the lines of a transcript that stand in it again", async () => {
  const history = await historyOf(jsonl(transcriptLine, transcriptLine, { ...transcriptLine, uuid: "u2" }));
  assertEquals(history.repeatedLines, 1);
  assertEquals(history.entries.length, 2);
});

Deno.test("readLines() gives lines as they are, however the bytes are cut", async () => {
  const text = "日本\r\n\n👍 long enough to lie in several parts\nlast";
  const bytes = bytesOf(text);
  for (const size of [1, 2, 3, 100]) {
    const source = {
      bytesTotal: null,
      async *[Symbol.asyncIterator]() {
        for (let start = 0; start < bytes.length; start += size) {
          yield await bytes.subarray(start, start + size);
        }
      },
    };
    const done: number[] = [];
    const lines = await Array.fromAsync(readLines(source, (bytesDone) => void done.push(bytesDone)));
    assertEquals(lines, ["日本", "", "👍 long enough to lie in several parts", "last"]);
    assertEquals(done.at(-1), bytes.length);
  }
});
