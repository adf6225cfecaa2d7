import { assertEquals, assertThrows } from "@std/assert";
import { readInput } from "../../../src/log/read_input.ts";
import { RejectedInput } from "../../../src/log/rejected_input.ts";
import { bytesOf } from "../../helpers/memory_log.ts";

function rejection(rest: string, content: unknown): readonly [reason: string, detail: string] {
  const error = assertThrows(() => readInput(rest, bytesOf(content)), RejectedInput);
  return [error.reason, error.message];
}

const anId = "must be a string of 1 to 128 printable ASCII characters";
const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

const theInputs =
  "the inputs are in.call.<Tool>, in.compact.started, in.compact.finished, in.compact.failed, " +
  "in.session.restore, in.session.closed, in.agent.exited";

for (
  const [about, rest, content, reason, detail] of [
    [
      "an unknown kind",
      "session.opened",
      { event_id: "e" },
      "unknown_input",
      `there is no input "in.session.opened": ${theInputs}`,
    ],
    [
      "a kind that objects inherit",
      "constructor",
      {},
      "unknown_input",
      `there is no input "in.constructor": ${theInputs}`,
    ],
    ["a call of no tool", "call", {}, "unknown_input", `there is no input "in.call": ${theInputs}`],
    [
      "a tool of two tokens",
      "call.Task.List",
      {},
      "unknown_input",
      `there is no input "in.call.Task.List": ${theInputs}`,
    ],
    [
      "a tool that is no token",
      "call.Task*",
      {},
      "unknown_input",
      `there is no input "in.call.Task*": ${theInputs}`,
    ],
    [
      "what is no UTF-8",
      "call.TaskList",
      new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      "not_utf8",
      "an input is UTF-8: got other bytes",
    ],
    [
      "UTF-8 of a lone surrogate",
      "call.TaskList",
      new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]),
      "not_utf8",
      "an input is UTF-8: got other bytes",
    ],
    ["a list", "call.TaskList", [1], "bad_envelope", "an input is a JSON object: got [1]"],
    ["null", "agent.exited", null, "bad_envelope", "an input is a JSON object: got null"],
    ["a text", "call.TaskList", '"a"', "bad_envelope", 'an input is a JSON object: got "a"'],
    [
      "20,000 brackets",
      "call.TaskList",
      deep,
      "bad_envelope",
      "an input is a JSON object: got brackets nested deeper than 64 levels",
    ],
    [
      "v 2",
      "call.TaskList",
      { v: 2, call_id: "c" },
      "unsupported_version",
      "this worker reads inputs of v 1: got 2",
    ],
    ['v "1"', "call.TaskList", { v: "1" }, "unsupported_version", 'this worker reads inputs of v 1: got "1"'],
    [
      "v null",
      "call.TaskList",
      { v: null },
      "unsupported_version",
      "this worker reads inputs of v 1: got null",
    ],
    [
      "a call without an id",
      "call.TaskList",
      { arguments: {} },
      "bad_envelope",
      `call_id ${anId}: got nothing`,
    ],
    ["a numeric id", "call.TaskList", { call_id: 7 }, "bad_envelope", `call_id ${anId}: got 7`],
    ["an empty id", "call.TaskList", { call_id: "" }, "bad_envelope", `call_id ${anId}: got ""`],
    [
      "an id that is not ASCII",
      "call.TaskList",
      { call_id: "é" },
      "bad_envelope",
      `call_id ${anId}: got "é"`,
    ],
    [
      "an id with a line feed",
      "call.TaskList",
      { call_id: "a\n" },
      "bad_envelope",
      `call_id ${anId}: got "a\\u000a"`,
    ],
    [
      "an id that is too long",
      "call.TaskList",
      { call_id: "x".repeat(129) },
      "bad_envelope",
      `call_id ${anId}: got "${"x".repeat(129)}"`,
    ],
    [
      "an id that is nested",
      "call.TaskList",
      `{"call_id":${deep}}`,
      "bad_envelope",
      `call_id ${anId}: got brackets nested deeper than 64 levels`,
    ],
    [
      "a compaction without its id",
      "compact.started",
      { call_id: "c" },
      "bad_envelope",
      `compact_id ${anId}: got nothing`,
    ],
    [
      "a restore without its id",
      "session.restore",
      { entries: [] },
      "bad_envelope",
      `restore_id ${anId}: got nothing`,
    ],
    ["a closing without its id", "session.closed", {}, "bad_envelope", `event_id ${anId}: got nothing`],
    [
      "an exit without its id",
      "agent.exited",
      { agent: "w" },
      "bad_envelope",
      `event_id ${anId}: got nothing`,
    ],
  ] as const
) {
  Deno.test(`readInput() rejects ${about}`, () => assertEquals(rejection(rest, content), [reason, detail]));
}

for (
  const [about, content] of [["nothing", ""], ["broken JSON", "{not json"], [
    "a byte order mark",
    '\ufeff{"call_id":"c"}',
  ]]
) {
  Deno.test(`readInput() rejects ${about} as no JSON`, () => {
    const [reason, detail] = rejection("call.TaskList", content);
    assertEquals([reason, detail.startsWith("an input is JSON: "), detail.length < 300], [
      "not_json",
      true,
      true,
    ]);
  });
}
