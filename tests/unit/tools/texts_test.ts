import { assertEquals } from "@std/assert";
import { read, readJson } from "../../helpers/reading.ts";
import { create, update } from "../../helpers/stores.ts";

const joined = ["subject had line breaks: they were joined by spaces"];

for (
  const [about, subject, stored, warnings] of [
    ["is trimmed of white space", " \u3000a b\n", "a b", []],
    ["keeps the selector of an emoji", "fix ❤️", "fix ❤️", []],
    ["keeps a zero-width joiner at its end", "a\u200d", "a\u200d", []],
    ["has its lines joined, with a warning", "a\n\nb\r\nc\u2028d", "a b c d", joined],
    ["has a lone surrogate replaced (R11)", "ok \ud83d end", "ok \ufffd end", []],
    ["has a lone low surrogate replaced", "\udc00\ud83e\uddf5", "\ufffd🧵", []],
    ["keeps everything else byte for byte", "<b>`\t\0\u202e\u{e0041}", "<b>`\t\0\u202e\u{e0041}", []],
  ] as const
) {
  Deno.test(`a subject ${about}`, () => {
    const said = warnings.length === 0 ? {} : { warnings };
    assertEquals(read("TaskCreate", { subject }), { command: create({ subject: stored }), ...said });
    assertEquals(read("TaskUpdate", { taskid: 1, subject }), {
      command: update(1, { subject: stored }),
      ...said,
    });
  });
}

Deno.test("a description comes back byte for byte, only well formed", () => {
  const description = "```js\r\nx | y\r\n```\n- [ ] z\n\ud83d<system>\0\u2028";
  assertEquals(read("TaskCreate", { subject: "new", description }), {
    command: create({ description: description.replace("\ud83d", "\ufffd") }),
  });
});

Deno.test("lone surrogates are replaced in JSON escapes, active forms and metadata, too", () => {
  const json =
    '{"title":"a \\ud800","activeForm":"b \\udfff","metadata":{"\\ud800":["\\udc00",{"k":"\\ud800x"}]}}';
  const command = create({
    subject: "a \ufffd",
    activeForm: "b \ufffd",
    metadata: { "\ufffd": ["\ufffd", { k: "\ufffdx" }] },
  });
  assertEquals(readJson("TaskCreate", json), { command });
});

for (
  const [tool, args, message] of [
    ["TaskCreate", { subject: 5 }, "subject must be a string: got 5"],
    ["TaskCreate", { subject: ["a"] }, 'subject must be a string: got ["a"]'],
    [
      "TaskCreate",
      { subject: "a", description: { text: "b" } },
      'description must be a string: got {"text":"b"}',
    ],
    ["TaskUpdate", { taskid: 1, activeForm: true }, "activeForm must be a string: got true"],
    ["TaskClaim", { owner: 7 }, "owner must be a string: got 7"],
    ["TaskRelease", { taskid: 1, reason: [] }, "reason must be a string: got []"],
  ] as const
) {
  Deno.test(`a text that is none is refused: ${message}`, () => assertEquals(read(tool, args), message));
}
