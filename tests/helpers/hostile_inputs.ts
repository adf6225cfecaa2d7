/** Inputs of any size whose reading might take more than their size: what a pod, or a model's text, can send. */

export interface HostileInput {
  readonly name: string;
  /** The input's subject after `in.`. */
  readonly rest: string;
  /** @param chars about how long the text is */
  readonly make: (chars: number) => string;
}

/** About `chars` characters of it. */
function many(text: string, chars: number): string {
  return text.repeat(Math.max(1, Math.floor(chars / text.length)));
}

function list(chars: number, charsOfOne: number, item: (index: number) => string): string {
  return Array.from({ length: Math.max(1, Math.floor(chars / charsOfOne)) }, (_, index) => item(index))
    .join();
}

const json = JSON.stringify;
const callText = (args: string) => `{"call_id":"c","arguments":${args}}`;

function call(tool: string, name: string, make: (chars: number) => string): HostileInput {
  return { name: `${tool} with ${name}`, rest: `call.${tool}`, make: (chars) => callText(make(chars)) };
}

/** Arguments as a text of their own. */
function text(name: string, make: (chars: number) => string): HostileInput {
  return call("TaskCreate", `${name} in a text`, (chars) => json(make(chars)));
}

function restore(name: string, entries: (chars: number) => string): HostileInput {
  const make = (chars: number) => `{"restore_id":"r","mode":"replace","entries":[${entries(chars)}]}`;
  return { name: `session.restore with ${name}`, rest: "session.restore", make };
}

function restoredCall(index: number, tool: string, args: unknown): string {
  return json({ type: "tool_call", call_id: `c${index}`, name: tool, arguments: args });
}

function snapshot(name: string, block: (chars: number) => string): HostileInput {
  const message = (body: string) =>
    json({ type: "message", role: "system", text: `[Session TaskStore snapshot]${body}` });
  return restore(`a snapshot of ${name}`, (chars) => message(block(chars)));
}

export const hostileInputs: readonly HostileInput[] = [
  { name: "white space", rest: "call.TaskCreate", make: (chars) => many(" ", chars) },
  { name: "a long call_id", rest: "call.TaskList", make: (chars) => `{"call_id":"${many("x", chars)}"}` },
  {
    name: "a long session",
    rest: "call.TaskList",
    make: (chars) => `{"call_id":"c","session":"${many("é", chars)}"}`,
  },
  { name: "a long version", rest: "call.TaskList", make: (chars) => `{"v":"${many("<", chars)}"}` },
  { name: "a subject of many tokens", rest: `call.${many("a.", 4_000)}b`, make: () => "{}" },
  call(
    "TaskCreate",
    "deep brackets",
    (chars) => `{"subject":"a","x":${many("[", chars / 2)}${many("]", chars / 2)}}`,
  ),
  call("TaskCreate", "wide brackets", (chars) => `{"subject":"a","x":[${many("[],", chars)}1]}`),
  call("TaskCreate", "unknown fields", (chars) => `{"subject":"a",${list(chars, 12, (n) => `"x${n}":1`)}}`),
  call("TaskCreate", "one field again and again", (chars) => `{"subject":"a",${many('"x":1,', chars)}"y":1}`),
  call("TaskCreate", "a subject of white space", (chars) => json({ subject: many(" \u3000", chars / 4) })),
  call(
    "TaskCreate",
    "a subject between white space",
    (chars) => json({ subject: `${many(" ", chars / 2)}a${many(" ", chars / 2)}` }),
  ),
  call("TaskCreate", "an invisible subject", (chars) => json({ subject: many("\u200b", chars / 3) })),
  call("TaskCreate", "a subject of lines", (chars) => json({ subject: many("a\r\n", chars / 3) })),
  call(
    "TaskCreate",
    "a subject of one grapheme",
    (chars) => json({ subject: `a${many("\u0301", chars / 2)}` }),
  ),
  call(
    "TaskCreate",
    "a description to be escaped",
    (chars) => json({ subject: "a", description: many("<\u0001", chars / 7) }),
  ),
  call(
    "TaskCreate",
    "an owner of white space",
    (chars) => json({ subject: "a", owner: many("\t", chars / 2) }),
  ),
  call("TaskCreate", "blockers of commas", (chars) => json({ subject: "a", blockedBy: many(", ", chars) })),
  call("TaskCreate", "blockers of numbers", (chars) => json({ subject: "a", blockedBy: many("1,", chars) })),
  call(
    "TaskCreate",
    "blockers in quotes",
    (chars) => json({ subject: "a", blockedBy: `[${many("'1',", chars)}]` }),
  ),
  call(
    "TaskCreate",
    "blockers that are words",
    (chars) => `{"subject":"a","blockedBy":[${many('"a b",', chars)}1]}`,
  ),
  call(
    "TaskCreate",
    "wide metadata",
    (chars) => `{"subject":"a","metadata":{${list(chars, 12, (n) => `"x${n}":1`)}}}`,
  ),
  call(
    "TaskCreate",
    "metadata of prototypes",
    (chars) => `{"subject":"a","metadata":{"a":[${many('{"__proto__":1},', chars)}1]}}`,
  ),
  call(
    "TaskCreate",
    "a batch of many",
    (chars) => `{"tasks":[${many('{"subject":"a"},', chars)}{"subject":"a"}]}`,
  ),
  call(
    "TaskCreate",
    "a batch as text",
    (chars) => json({ tasks: `[${many('{"subject":"a"},', chars * 0.8)}]` }),
  ),
  call("TaskUpdate", "a long status", (chars) => json({ taskid: 1, status: many("in_progress", chars) })),
  call(
    "TaskUpdate",
    "blockers to remove",
    (chars) => json({ taskid: 1, removeBlockedBy: many("1,", chars) }),
  ),
  call("TaskGet", "a long number", (chars) => json({ taskid: many("1", chars) })),
  call("TaskGet", "nearly a number", (chars) => json({ taskid: `1e${many("1", chars)}x` })),
  call("TaskGet", "signs", (chars) => json({ taskid: `${many("+-.", chars)}!` })),
  call("TaskGet", "white space", (chars) => json({ taskid: `${many(" ", chars)}1` })),
  call("TaskGet", "words", (chars) => json({ taskid: many("task ", chars) })),
  text("white space", (chars) => `{"subject":${many(" ", chars)}"a"}`),
  text("comments", (chars) => `{${many("/**/", chars)}"subject":"a"}`),
  text("slashes", (chars) => `{${many("/", chars)}"subject":"a"}`),
  text("open comments", (chars) => `{${many("/*", chars)}`),
  text("quotes", (chars) => many('"', chars / 2)),
  text("backslashes", (chars) => `{"subject":"${many("\\", chars / 2)}`),
  text("escapes", (chars) => `{"subject":"${many("\\u0041", chars * 0.8)}"}`),
  text("commas", (chars) => `{"subject":"a","x":[${many("1,", chars)}]}`),
  text("open brackets", (chars) => many("[", chars)),
  text("a text once more", (chars) => json(`{"subject":"${many("a", chars)}"}`)),
  restore("numbers", (chars) => `${many("1,", chars)}1`),
  restore("creates", (chars) => list(chars, 90, (n) => restoredCall(n, "TaskCreate", { subject: "a" }))),
  restore("the names of an MCP server", (chars) => restoredCall(0, `mcp__${many("__x", chars)}\n`, {})),
  restore(
    "one id for all",
    (chars) =>
      `${many('{"type":"tool_call","call_id":"c","name":"x"},', chars / 2)}${
        many('{"type":"tool_result","call_id":"c"},', chars / 2)
      }1`,
  ),
  snapshot("fences", (chars) => many("```json ", chars)),
  snapshot("back-ticks", (chars) => many("`", chars)),
  snapshot("a fence and white space", (chars) => `\`\`\`${many(" ", chars)}`),
  snapshot("a fence without an end", (chars) => `\`\`\`json ${many(" ", chars)}`),
];
