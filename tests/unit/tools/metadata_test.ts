import { assertEquals } from "@std/assert";
import { read, readJson } from "../../helpers/reading.ts";
import { create, update } from "../../helpers/stores.ts";

for (
  const [about, json, metadata] of [
    ["is any JSON object", '{"a":[1,{"b":null}],"c":true}', { a: [1, { b: null }], c: true }],
    ["may be JSON text", '"{\\"a\\":1,}"', { a: 1 }],
    ["is none where it is empty", "{}", null],
    ["is none where every key is null", '{"a":null}', null],
    ["loses a key that is null", '{"a":null,"b":1}', { b: 1 }],
    ["has no negative zero", '{"a":-0,"b":[-0.0]}', { a: 0, b: [0] }],
  ] as const
) {
  Deno.test(`metadata of a new task ${about}`, () => {
    assertEquals(readJson("TaskCreate", `{"subject":"new","metadata":${json}}`), {
      command: create({ metadata }),
    });
  });
}

for (const form of ["5", "[1]", '"text"', '"[1]"', "true", '""']) {
  Deno.test(`metadata may not be ${form}`, () => {
    assertEquals(
      readJson("TaskUpdate", `{"taskid":1,"metadata":${form}}`),
      `metadata must be a JSON object: got ${form}`,
    );
  });
}

Deno.test("metadata drops the keys that reach a prototype, at every depth, with a warning each", () => {
  const json = '{"__proto__":{"x":1},"a":[{"constructor":1,"b":2}],"prototype":null}';
  const warnings = ["__proto__", "constructor", "prototype"].map((key) =>
    `dropped the metadata key "${key}"`
  );
  for (const form of [json, JSON.stringify(json)]) {
    assertEquals(readJson("TaskUpdate", `{"taskid":1,"metadata":${form}}`), {
      command: update(1, { metadata: { a: [{ b: 2 }] } }),
      warnings,
    });
  }
  assertEquals(Object.hasOwn(Object.prototype, "x"), false);
});

Deno.test("metadata refuses a number that JSON cannot write", () => {
  assertEquals(
    readJson("TaskUpdate", '{"taskid":1,"metadata":{"a":[1e400]}}'),
    "metadata may hold numbers up to 1.7e308: got a greater one",
  );
});

Deno.test("metadata as JSON text may not be nested deeper than as an object", () => {
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const text = (levels: number) => `{"a":${deep(levels - 1)}}`;
  const taken = { command: update(1, { metadata: JSON.parse(text(63)) }) };
  assertEquals(read("TaskUpdate", { taskid: 1, metadata: JSON.parse(text(63)) }), taken);
  assertEquals(read("TaskUpdate", { taskid: 1, metadata: text(63) }), taken);
  assertEquals(
    read("TaskUpdate", { taskid: 1, metadata: JSON.parse(text(64)) }),
    "arguments may be nested 64 levels deep: got more",
  );
  assertEquals(
    read("TaskUpdate", { taskid: 1, metadata: text(64) }),
    "metadata may be nested 63 levels deep: got more",
  );
});

Deno.test("metadata in a batch that comes as text may not be nested deeper, either", () => {
  const tasks = JSON.stringify([{
    subject: "a",
    metadata: JSON.parse(`{"a":${"[".repeat(63)}${"]".repeat(63)}}`),
  }]);
  assertEquals(read("TaskCreate", { tasks }), "tasks[0]: metadata may be nested 63 levels deep: got more");
});
