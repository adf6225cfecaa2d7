/** Random texts, calls and inputs: what models, pods and attackers may send to a small board. */
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

/** A subject that is not blank. */
const subject = oddText.map((text) => `s${text}`);

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
const status = fc.constantFrom("pending", "inprogress", "completed", "completed", "deleted");
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

const taskid = fc.integer({ min: 1, max: 7 });
const taskids = fc.array(taskid, { maxLength: 3 });
const agent = fc.constantFrom("w", "v");
const metadata = fc.dictionary(fc.constantFrom("k", "m", "10", "\ud800"), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
});

export interface Call {
  readonly tool: string;
  readonly args: { readonly [name: string]: unknown };
}

/** Optional fields, each there or not. */
function some(fields: { readonly [name: string]: fc.Arbitrary<unknown> }): fc.Arbitrary<Call["args"]> {
  return fc.record(fields, { requiredKeys: [] });
}

const newTask = fc.tuple(
  subject,
  some({
    description: oddText,
    activeForm: oddText,
    metadata,
    owner: agent,
    blockedBy: taskids,
    addBlocks: fc.array(taskid, { maxLength: 1 }),
  }),
).map(([subject, more]) => ({ subject, ...more }));

const sibling = fc.integer({ min: 1, max: 3 }).map((n) => `$${n}`);
const batch = fc.array(
  fc.tuple(newTask, some({ blockedBy: fc.array(sibling, { maxLength: 2 }) })).map(([task, more]) => ({
    ...task,
    ...more,
  })),
  { minLength: 1, maxLength: 3 },
);

const texts = {
  subject,
  description: oddText,
  activeForm: oddText,
  owner: fc.constantFrom("w", "v", ""),
  metadata,
};
const edges = { addBlockedBy: taskids, addBlocks: taskids, removeBlockedBy: taskids, removeBlocks: taskids };
const oneEdge = fc.tuple(fc.constantFrom(...Object.keys(edges)), taskid).map(([side, end]) => ({
  [side]: [end],
}));
const updateFields: fc.Arbitrary<Call["args"]> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ status }) },
  { weight: 3, arbitrary: oneEdge },
  { weight: 2, arbitrary: some(texts) },
  { weight: 1, arbitrary: some({ status, if_status: status, ...texts, ...edges }) },
);

function callOf(tool: string, args: fc.Arbitrary<Call["args"]>): fc.Arbitrary<Call> {
  return args.map((args) => ({ tool, args }));
}

/** A call that makes sense on a board of a few tasks, and is often refused all the same. */
export const boardCall: fc.Arbitrary<Call> = fc.oneof(
  { weight: 2, arbitrary: callOf("TaskCreate", newTask) },
  { weight: 1, arbitrary: callOf("TaskCreate", batch.map((tasks) => ({ tasks }))) },
  {
    weight: 6,
    arbitrary: callOf(
      "TaskUpdate",
      fc.tuple(taskid, updateFields).map(([taskid, edit]) => ({ taskid, ...edit })),
    ),
  },
  { weight: 3, arbitrary: callOf("TaskClaim", some({ taskid, owner: agent, exclusive: fc.boolean() })) },
  { weight: 3, arbitrary: callOf("TaskComplete", fc.record({ taskid })) },
  {
    weight: 2,
    arbitrary: callOf("TaskRelease", fc.record({ taskid, force: fc.boolean(), reason: oddText })),
  },
  {
    weight: 1,
    arbitrary: callOf("TaskList", some({ status, owner: agent, ready: fc.boolean(), brief: fc.boolean() })),
  },
  { weight: 1, arbitrary: callOf("TaskGet", fc.record({ taskid })) },
);

/** Six tasks, some of which wait for others, so that what follows finds something. */
const opening = {
  tasks: [
    { subject: "a" },
    { subject: "b", blockedBy: ["$1"] },
    { subject: "c", blockedBy: ["$1", "$2"] },
    { subject: "d", blockedBy: ["$1"], owner: "w" },
    { subject: "e" },
    { subject: "f", blockedBy: ["$5"] },
  ],
};

/** One input of a pod: the subject after `in.`, and what it says. */
export interface PodInput {
  readonly rest: string;
  readonly content: unknown;
}

/** Few enough for repeats to happen. */
const callId = fc.integer({ min: 0, max: 12 }).map((n) => `c${n}`);
const eventId = fc.integer({ min: 0, max: 3 }).map((n) => `e${n}`);

const entry = fc.oneof(
  fc.tuple(callId, boardCall).map(([call_id, { tool, args }]) => ({
    type: "tool_call",
    call_id,
    name: tool,
    arguments: args,
  })),
  fc.record({ type: fc.constant("tool_result"), call_id: callId, is_error: fc.boolean(), taskid }, {
    requiredKeys: ["type", "call_id"],
  }),
  fc.record({ type: fc.constant("message"), role: fc.constantFrom("system", "user"), text: oddText }),
);
/** A session's history, with some entries that are none. */
export const entries = fc.array(fc.oneof({ weight: 19, arbitrary: entry }, fc.jsonValue()), {
  maxLength: 20,
  size: "max",
})
  .map((
    entries,
  ) => [{ type: "tool_call", call_id: "first", name: "TaskCreate", arguments: opening }, ...entries]);

const boardInput: fc.Arbitrary<PodInput> = fc.tuple(
  boardCall,
  callId,
  some({ agent, session: fc.constant("s") }),
)
  .map(([{ tool, args }, call_id, more]) => ({
    rest: `call.${tool}`,
    content: { call_id, arguments: args, ...more },
  }));

const oddInput: fc.Arbitrary<PodInput> = fc.oneof(
  fc.tuple(toolName, callId, oddArguments).map(([tool, call_id, args]) => ({
    rest: `call.${tool}`,
    content: { call_id, arguments: args },
  })),
  anyBytes.map((content) => ({ rest: "call.TaskCreate", content })),
  fc.constantFrom("session.opened", "call", "compact.started").map((rest) => ({ rest, content: {} })),
);

const eventInput: fc.Arbitrary<PodInput> = fc.oneof(
  fc.tuple(fc.constantFrom("started", "finished", "failed"), eventId).map(([phase, compact_id]) => ({
    rest: `compact.${phase}`,
    content: { compact_id, session: "s" },
  })),
  fc.tuple(eventId, agent).map(([event_id, agent]) => ({
    rest: "agent.exited",
    content: { event_id, agent },
  })),
  fc.tuple(eventId, entries, fc.constantFrom("replace", "into_empty")).map(([restore_id, entries, mode]) => ({
    rest: "session.restore",
    content: { restore_id, entries, mode },
  })),
);

const closing = eventId.map((event_id): PodInput => ({ rest: "session.closed", content: { event_id } }));

const podInput: fc.Arbitrary<PodInput> = fc.oneof(
  { weight: 40, arbitrary: boardInput },
  { weight: 3, arbitrary: oddInput },
  { weight: 6, arbitrary: eventInput },
  { weight: 1, arbitrary: closing },
);

/** Calls on a board that begins with six tasks. */
export const boardCalls: fc.Arbitrary<readonly Call[]> = fc.array(boardCall, { maxLength: 40, size: "max" })
  .map((calls) => [{ tool: "TaskCreate", args: opening }, ...calls]);

/** Some inputs once more, right away or later: the pick at a place says which of those before it. */
function withRepeats(inputs: readonly PodInput[], picks: readonly (number | null)[]): readonly PodInput[] {
  return inputs.flatMap((input, index) => {
    const pick = picks[index] ?? null;
    const again = pick === null ? undefined : inputs[pick % (index + 1)];
    return again ? [input, again] : [input];
  });
}

/** What one pod publishes, in order; at most 62. */
export const podInputs: fc.Arbitrary<readonly PodInput[]> = fc.tuple(
  fc.array(podInput, { maxLength: 30, size: "max" }),
  fc.array(fc.option(fc.nat(), { freq: 2 }), { maxLength: 31, size: "max" }),
).map(([inputs, picks]) =>
  withRepeats(
    [{ rest: "call.TaskCreate", content: { call_id: "first", arguments: opening } }, ...inputs],
    picks,
  )
);
