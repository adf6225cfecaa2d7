import { assertEquals } from "@std/assert";
import { readInput } from "../../../src/log/read_input.ts";
import { bytesOf } from "../../helpers/memory_log.ts";

for (
  const [rest, body, input] of [
    ["call.TaskGet", {
      call_id: "c",
      arguments: { taskid: 1 },
      agent: "w",
      session: "s 1",
      v: 1,
      other: true,
    }, {
      kind: "call",
      id: "c",
      tool: "TaskGet",
      arguments: { taskid: 1 },
      agent: "w",
      session: "s 1",
      refusal: null,
    }],
    ["call.TodoWrite", { call_id: "c", agent: null, session: null }, {
      kind: "call",
      id: "c",
      tool: "TodoWrite",
      arguments: undefined,
      agent: null,
      session: null,
      refusal: null,
    }],
    ["compact.started", { compact_id: "k", session: "🧵".repeat(128) }, {
      kind: "compact.started",
      id: "k",
      session: "🧵".repeat(128),
      newSession: null,
      reason: null,
      refusal: null,
    }],
    ["compact.finished", { compact_id: "k", session: "\ud800", new_session: "" }, {
      kind: "compact.finished",
      id: "k",
      session: "\ufffd",
      newSession: "",
      reason: null,
      refusal: null,
    }],
    ["compact.failed", { compact_id: "k", reason: "no room" }, {
      kind: "compact.failed",
      id: "k",
      session: null,
      newSession: null,
      reason: "no room",
      refusal: null,
    }],
    ["session.restore", { restore_id: "r", entries: [1], mode: "replace" }, {
      kind: "session.restore",
      id: "r",
      entries: [1],
      mode: "replace",
      refusal: null,
    }],
    ["session.restore", { restore_id: "r", entries: [] }, {
      kind: "session.restore",
      id: "r",
      entries: [],
      mode: "into_empty",
      refusal: null,
    }],
    ["session.closed", { event_id: "e" }, { kind: "session.closed", id: "e", refusal: null }],
    ["agent.exited", { event_id: "e", agent: "w", reason: "killed" }, {
      kind: "agent.exited",
      id: "e",
      agent: "w",
      reason: "killed",
      refusal: null,
    }],
  ] as const
) {
  Deno.test(`readInput() reads ${rest} ${JSON.stringify(body).slice(0, 60)}`, () => {
    assertEquals<unknown>(readInput(rest, bytesOf(body)), input);
  });
}

const aName = "must be 1 to 64 of A-Z a-z 0-9 _ . : @ / -";
for (
  const [rest, body, message] of [
    ["call.TaskList", { call_id: "c", agent: "a b" }, `agent ${aName}: got "a b"`],
    ["call.TaskList", { call_id: "c", agent: "x".repeat(65) }, `agent ${aName}: got "${"x".repeat(65)}"`],
    [
      "call.TaskList",
      { call_id: "c", agent: 7 },
      "agent must be a text: got 7",
    ],
    [
      "call.TaskList",
      { call_id: "c", session: "s".repeat(129) },
      `session may have at most 128 characters: got "${"s".repeat(129)}"`,
    ],
    [
      "call.TaskList",
      { call_id: "c", agent: "", session: [] },
      `agent ${aName}: got ""; session must be a text: got []`,
    ],
    [
      "compact.failed",
      { compact_id: "k", reason: "x".repeat(300) },
      `reason may have at most 128 characters: got "${"x".repeat(200)}…"`,
    ],
    [
      "session.restore",
      { restore_id: "r" },
      "entries must be a list: got nothing",
    ],
    [
      "session.restore",
      { restore_id: "r", entries: [], mode: "merge" },
      'mode must be one of replace, into_empty: got "merge"',
    ],
    [
      "agent.exited",
      { event_id: "e" },
      "agent must be a text: got nothing",
    ],
    ["agent.exited", { event_id: "e", agent: "\n" }, `agent ${aName}: got "\\u000a"`],
  ] as const
) {
  Deno.test(`readInput() leaves a refusal to answer with: ${message.slice(0, 80)}`, () => {
    assertEquals(readInput(rest, bytesOf(body)).refusal, {
      isRefusal: true,
      code: "invalid_arguments",
      message,
      fields: {},
    });
  });
}
