/** Random calls on a small board: each makes sense somewhere, and many are refused all the same. */
import fc from "fast-check";
import { oddText, status } from "./odd_arguments.ts";

/** A subject that is not blank. */
const subject = oddText.map((text) => `s${text}`);
export const taskid = fc.integer({ min: 1, max: 7 });
const taskids = fc.array(taskid, { maxLength: 3 });
export const agent = fc.constantFrom("w", "v");
const metadata = fc.dictionary(fc.constantFrom("k", "m", "10", "\ud800"), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
});

export interface Call {
  readonly tool: string;
  readonly args: { readonly [name: string]: unknown };
}

/** Optional fields, each there or not. */
export function some(fields: { readonly [name: string]: fc.Arbitrary<unknown> }): fc.Arbitrary<Call["args"]> {
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
export const opening = {
  tasks: [
    { subject: "a" },
    { subject: "b", blockedBy: ["$1"] },
    { subject: "c", blockedBy: ["$1", "$2"] },
    { subject: "d", blockedBy: ["$1"], owner: "w" },
    { subject: "e" },
    { subject: "f", blockedBy: ["$5"] },
  ],
};

/** Calls on a board that begins with six tasks. */
export const boardCalls: fc.Arbitrary<readonly Call[]> = fc.array(boardCall, { maxLength: 40, size: "max" })
  .map((calls) => [{ tool: "TaskCreate", args: opening }, ...calls]);
