import { assertEquals } from "@std/assert";
import { z } from "zod";
import { isRefusal } from "../../../src/tasks/refusal.ts";
import { definitions, examples, type ToolDefinition, toolSets } from "../../../src/tools/definitions.ts";
import { toolNames } from "../../../src/tools/names.ts";
import { readCall } from "../../../src/tools/read_call.ts";
import { read } from "../../helpers/reading.ts";

const schema = z.object({
  type: z.literal("object"),
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  required: z.array(z.string()),
  additionalProperties: z.literal(false),
});

/** A value that a property's schema allows. */
function valueOf(name: string, { type, enum: words }: { readonly [keyword: string]: unknown }): unknown {
  if (Array.isArray(words)) return words[0];
  switch (type) {
    case "integer":
      return 1;
    case "boolean":
      return true;
    case "object":
      return { k: 1 };
    case "array":
      return name === "tasks"
        ? [{ subject: "a", blockedBy: [] }, { subject: "b", blockedBy: ["$1", 7] }]
        : [2];
    default:
      return "text";
  }
}

/** A call with each property that the definition shows, one task or several at a time. */
function fullCalls({ name, parameters }: ToolDefinition): readonly { readonly [name: string]: unknown }[] {
  const { properties } = schema.parse(parameters);
  const all = Object.entries(properties).map(([key, property]) => [key, valueOf(key, property)] as const);
  if (name !== "TaskCreate") return [Object.fromEntries(all)];
  return [
    Object.fromEntries(all.filter(([key]) => key !== "tasks")),
    Object.fromEntries(all.filter(([key]) => key === "tasks")),
  ].filter((call) => Object.keys(call).length > 0);
}

for (const set of toolSets) {
  for (const definition of definitions(set)) {
    const { name, parameters } = definition;
    Deno.test(`definitions(${set}) of ${name} show only what is read without a word`, () => {
      for (const call of fullCalls(definition)) {
        const reading = readCall(name, call);
        assertEquals(isRefusal(reading) ? reading.message : reading.warnings, []);
      }
    });

    Deno.test(`definitions(${set}) of ${name} require only what they show`, () => {
      const { properties, required } = schema.parse(parameters);
      assertEquals(required.filter((field) => !(field in properties)), []);
    });
  }
}

Deno.test("definitions() have four tools for a session, all for the graph", () => {
  const namesOf = (set: "session" | "graph") => definitions(set).map(({ name }) => name);
  assertEquals([namesOf("session"), namesOf("graph")], [
    ["TaskCreate", "TaskList", "TaskGet", "TaskUpdate"],
    [...toolNames],
  ]);
});

for (const tool of toolNames) {
  Deno.test(`examples: the call of ${tool} that a refusal shows is read without a word`, () => {
    const reading = read(tool, examples[tool]);
    assertEquals(typeof reading === "string" ? reading : reading.warnings, undefined);
  });
}
