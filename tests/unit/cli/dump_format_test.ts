import { assertEquals } from "@std/assert";
import { dumpLine, readDumpedMessage } from "../../../src/cli/dump_format.ts";
import { headerNames, type LogMessage } from "../../../src/log/log_message.ts";
import { bytesOf, messageOf } from "../../helpers/memory_log.ts";

const headers = {
  [headerNames.input]: "3",
  [headerNames.call]: "hash",
  [headerNames.reply]: "_INBOX.x",
  "Nats-Msg-Id": "p:1",
};

function readBack(message: LogMessage): LogMessage | null {
  return readDumpedMessage(JSON.parse(dumpLine(message)));
}

Deno.test("dumpLine() is one line of JSON with everything that a message is", () => {
  const message = messageOf(4, "tasks.p.out.result", { v: 1, text: "a\nb" }, { "Nats-Msg-Id": "x" });
  assertEquals(
    dumpLine(message),
    '{"seq":4,"time":"1970-01-01T00:00:04.000Z","subject":"tasks.p.out.result",' +
      '"headers":{"Nats-Msg-Id":"x"},"data":{"v":1,"text":"a\\nb"}}',
  );
});

Deno.test("readDumpedMessage() gives back what dumpLine() was given, whatever its bytes are", () => {
  const contents: readonly unknown[] = [
    { call_id: "c", arguments: { subject: "日本\x1b[2J\u202e" } },
    "",
    "null",
    "not json",
    "[1, 2",
    '{"base64":"AAAA"}',
    '{"base64":"AAAA","more":1}',
    new Uint8Array([0xff, 0xfe, 0x00]),
    '"\ufeff"',
    `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  ];
  for (const content of contents) {
    const message = messageOf(7, "tasks.p.in.call.TaskCreate", content, headers);
    const back = readBack(message);
    const { seq, timeMs, subject, data } = message;
    assertEquals({ ...back, header: null }, { seq, timeMs, subject, data, header: null });
    for (const [name, value] of Object.entries(headers)) assertEquals(back?.header(name), value);
    assertEquals(back?.header("Other"), null);
  }
});

Deno.test("dumpLine() shows bytes that are no JSON, or would look like bytes, in base64", () => {
  const dataOf = (content: unknown) => JSON.parse(dumpLine(messageOf(1, "s", content))).data;
  assertEquals(dataOf("text"), { base64: "dGV4dA==" });
  assertEquals(dataOf({ base64: "AAAA" }), { base64: bytesOf({ base64: "AAAA" }).toBase64() });
  assertEquals(dataOf("null"), null);
});

Deno.test("readDumpedMessage() is null for what is no message", () => {
  const good = { seq: 1, time: "2026-01-01T00:00:00.000Z", subject: "s", headers: {}, data: 1 };
  assertEquals(readDumpedMessage(good)?.seq, 1);
  const { data: _, ...withoutData } = good;
  const bad: readonly unknown[] = [
    null,
    [],
    withoutData,
    { ...good, seq: 0 },
    { ...good, time: "now" },
    { ...good, headers: { a: 1 } },
  ];
  for (const value of bad) assertEquals(readDumpedMessage(value), null);
});
