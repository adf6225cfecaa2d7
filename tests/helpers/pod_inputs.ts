/** Random inputs of one pod, in order: calls, events, repeats and rubbish. */
import fc from "fast-check";
import { agent, boardCall, opening, some, taskid } from "./board_calls.ts";
import { anyBytes, oddArguments, oddText, toolName } from "./odd_arguments.ts";

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
