/** Random texts and arguments that nobody should send, and somebody will. */
import fc from "fast-check";
import { toolNames } from "../../src/tools/names.ts";

/** Characters that texts for models, JSON or UTF-8 treat in their own ways; the last two are no text by themselves. */
const oddCharacters = [
  ..."\0\x01\b\t\n\v\f\r\x1b\x7f\x85\xa0<>&`\"'\\/[]{}$#, aé日👍🏽🧵\u2028\u2029\u202e\u2066\u061c\u200b\u200d\ufe0f\ufeff\u{e0041}",
  "```",
  "```json\n",
  "\\u0041",
  "[Session TaskStore snapshot]",
  "\ud83d",
  "\udc00",
];

export const oddText = fc.string({
  unit: fc.oneof(fc.constantFrom(...oddCharacters), fc.string({ unit: "binary" })),
});

export const anyBytes = fc.uint8Array({ maxLength: 200 });

/** Names that calls know, in every product's spelling, and some that nobody does. */
const fieldName = fc.constantFrom(
  ..."taskid taskId task_id id subject title name content description status if_status ifStatus activeForm"
    .split(" "),
  ..."active_form owner metadata tasks blockedBy blocked_by addBlockedBy add_blocked_by addBlocks".split(" "),
  ..."removeBlockedBy removeBlocks ready brief exclusive force reason blocks priority".split(" "),
  "__proto__",
  "constructor",
);

const oddId = fc.constantFrom<unknown>(
  1,
  2,
  9,
  "3",
  "#2",
  "task 1",
  "$1",
  "$9",
  "1.5",
  "1e3",
  -1,
  0,
  1.5,
  "7abc",
  "",
);
export const status = fc.constantFrom("pending", "inprogress", "completed", "completed", "deleted");
const oddValue = fc.oneof(
  oddId,
  fc.array(oddId, { maxLength: 3 }),
  fc.constantFrom<unknown>(
    "[1, 2]",
    "['1']",
    "1, 2",
    "done",
    "In_Progress",
    true,
    "true",
    null,
    1e400,
    -0,
    1e16,
  ),
  status,
  oddText,
  fc.jsonValue(),
);

/** Arguments with many fields that mean something, in forms of which some are taken. */
export const oddArguments = fc.oneof(
  fc.dictionary(fieldName, oddValue, { maxKeys: 5 }),
  fc.dictionary(
    fieldName,
    fc.oneof(oddValue, fc.array(fc.dictionary(fieldName, oddValue, { maxKeys: 4 }), { maxLength: 3 })),
  ),
  fc.jsonValue(),
);

export const toolName = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...toolNames) },
  fc.constantFrom("create_task", "task_update", "claim_task", "TodoWrite"),
);
