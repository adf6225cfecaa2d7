import { assertEquals } from "@std/assert";
import { read, readJson } from "../../helpers/reading.ts";
import { refOf } from "../../../src/tools/fields.ts";
import { get, ids, update, updateEdges } from "../../helpers/stores.ts";

for (const name of ["taskid", "taskId", "task_id", "id"]) {
  Deno.test(`a taskid may be called ${name}`, () => {
    assertEquals(read("TaskGet", { [name]: 7 }), { command: get(7) });
  });
}

for (
  const form of [
    "7",
    '"7"',
    '"#7"',
    '"task 7"',
    '" 7 "',
    "7.0",
    "7e0",
    '"Task 7"',
    '"TASK #7"',
    '"task_7"',
    '"task-7"',
  ]
) {
  Deno.test(`a taskid may be ${form} (R10)`, () => {
    assertEquals(readJson("TaskGet", `{"taskid":${form}}`), { command: get(7) });
  });
}

for (
  const form of [
    "1.5",
    "0",
    "-1",
    "1e400",
    "1e15",
    "true",
    "[1]",
    '{"id":1}',
    '""',
    '"0"',
    '"1.5"',
    '"-1"',
    '"+1"',
    '"1e3"',
    '"7.0"',
    '"1000000000000000"',
  ]
) {
  Deno.test(`a taskid may not be ${form} (R10)`, () => {
    const got = form === "1e400" ? "null" : JSON.stringify(JSON.parse(form));
    assertEquals(readJson("TaskGet", `{"taskid":${form}}`), `taskid must be an integer from 1: got ${got}`);
  });
}

for (
  const [about, value, ref] of [
    ["words", "7abc", { words: "7abc" }],
    ["a subject", "Write it ", { words: "Write it " }],
    ["ill-formed words", "\ud800", { words: "\ufffd" }],
    ["a task of the batch", " $12 ", { sibling: 12 }],
    ["the task before the first of a batch", "$0", { words: "$0" }],
    ["the greatest taskid", 999_999_999_999_999, { taskid: 999_999_999_999_999 }],
    ["the greatest taskid as text", "999999999999999", { taskid: 999_999_999_999_999 }],
  ] as const
) {
  Deno.test(`refOf() takes ${about} for what it is`, () => assertEquals(refOf(value), ref));
}

for (
  const [form, refs] of [
    ["[1]", ids(1)],
    ['["1"]', ids(1)],
    ['"[1]"', ids(1)],
    ["\"['1']\"", ids(1)],
    ['"1, 2"', ids(1, 2)],
    ['"1,2,"', ids(1, 2)],
    ['" 1 , 2, "', ids(1, 2)],
    ['" [1] "', ids(1)],
    ["1", ids(1)],
    ['"1"', ids(1)],
    ['"task 1, #2"', ids(1, 2)],
    ['["task 3", 1]', ids(3, 1)],
    ['"[1, /* two */ 2,]"', ids(1, 2)],
    ["[]", []],
    ['"[]"', []],
    ['""', []],
    ["null", []],
    ['"$1, 2"', [{ sibling: 1 }, { taskid: 2 }]],
    ['"set up, then go"', [{ words: "set up, then go" }]],
    ['"[broken"', [{ words: "[broken" }]],
  ] as const
) {
  Deno.test(`blockers may be ${form} (R30)`, () => {
    assertEquals(
      readJson("TaskUpdate", `{"taskid":5,"addBlockedBy":${form},"owner":"w"}`),
      { command: update(5, { owner: "w" }, { edges: { addBlockedBy: refs } }) },
    );
  });
}

for (
  const form of ["true", "[true]", "[1.5]", "[[1]]", '{"id":1}', '"[[1]]"', "[null]", '["1.5"]', '"1e3"']
) {
  Deno.test(`blockers may not be ${form}`, () => {
    assertEquals(
      readJson("TaskUpdate", `{"taskid":5,"addBlockedBy":${form}}`),
      `addBlockedBy must be a list of taskids like [1, 2]: got ${JSON.stringify(JSON.parse(form))}`,
    );
  });
}

for (
  const [field, names] of [
    ["addBlockedBy", ["addBlockedBy", "add_blocked_by"]],
    ["addBlocks", ["addBlocks", "add_blocks"]],
    ["removeBlockedBy", ["removeBlockedBy", "remove_blocked_by"]],
    ["removeBlocks", ["removeBlocks", "remove_blocks"]],
  ] as const
) {
  for (const name of names) {
    Deno.test(`${field} of an update may be called ${name}`, () => {
      assertEquals(read("TaskUpdate", { taskid: 5, [name]: [2] }), {
        command: updateEdges(5, { [field]: ids(2) }),
      });
    });
  }
}
