import { assertEquals, assertThrows } from "@std/assert";
import { noEffect } from "../../../src/log/pod.ts";
import { readRecorded, UnreadableRecord } from "../../../src/log/recorded.ts";
import type { OutputKind } from "../../../src/log/subjects.ts";
import { bytesOf, type Headers, messageOf } from "../../helpers/memory_log.ts";

function read(kind: OutputKind, body: unknown, headers: Headers = {}) {
  return readRecorded(kind, messageOf(9, `tasks.p.out.${kind}`, body, headers));
}

/** Bytes and texts, one after the other. */
function joined(...parts: readonly (string | readonly number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => typeof part === "string" ? [...bytesOf(part)] : [...part]));
}

const created = { taskid: 1, status: "pending" as const, subject: "a", description: "" };

for (
  const [about, kind, body, headers, effect] of [
    [
      "a result with a call to remember",
      "result",
      { v: 1, call_id: "c", changes: [created], result: { structuredContent: { task: created } } },
      { "Tasuki-Call": "h" },
      {
        delta: { changes: [created] },
        calls: [{ hash: "h", callId: "c", taskids: [1], isRestored: false }],
        event: null,
      },
    ],
    [
      "a result that shows other tasks than those that changed",
      "result",
      { v: 1, call_id: "c", changes: [created], taskids: [1, 2] },
      { "Tasuki-Call": "h" },
      {
        delta: { changes: [created] },
        calls: [{ hash: "h", callId: "c", taskids: [1, 2], isRestored: false }],
        event: null,
      },
    ],
    [
      "a result no further than its warnings",
      "result",
      '{"v":1,"changes":[{"taskid":1,"subject":"a,\\"warnings\\":["}],"warnings":[ this is for others',
      {},
      { delta: { changes: [{ taskid: 1, subject: 'a,"warnings":[' }] }, calls: [], event: null },
    ],
    [
      "a result whose changes stand behind its warnings",
      "result",
      { v: 1, warnings: [], changes: [created] },
      {},
      { delta: { changes: [created] }, calls: [], event: null },
    ],
    [
      "warnings that are metadata",
      "result",
      { v: 1, changes: [{ taskid: 1, metadata: { k: 1, warnings: [1] } }], warnings: [] },
      {},
      { delta: { changes: [{ taskid: 1, metadata: { k: 1, warnings: [1] } }] }, calls: [], event: null },
    ],
    [
      "a result no further than its warnings, also where these are no UTF-8",
      "result",
      joined('{"v":1,"changes":[{"taskid":1,"subject":"é"}],"warnings":["', [0xff, 0xe6], '"]}'),
      {},
      { delta: { changes: [{ taskid: 1, subject: "é" }] }, calls: [], event: null },
    ],
    [
      "a replacement character that is really there",
      "result",
      { v: 1, changes: [{ taskid: 1, subject: "a\ufffdb" }], warnings: [], summary: "" },
      {},
      { delta: { changes: [{ taskid: 1, subject: "a\ufffdb" }] }, calls: [], event: null },
    ],
    [
      "metadata that has warnings of its own, and nothing before them",
      "result",
      {
        v: 1,
        changes: [{ taskid: 1, metadata: { warnings: ["a"], k: { b: 1, warnings: [] } } }],
        warnings: ["w"],
      },
      {},
      {
        delta: { changes: [{ taskid: 1, metadata: { warnings: ["a"], k: { b: 1, warnings: [] } } }] },
        calls: [],
        event: null,
      },
    ],
    [
      "a result with nothing to remember",
      "result",
      {
        v: 1,
        call_id: "c",
        duplicate: true,
        changes: [],
        result: { structuredContent: { error: {} }, isError: true },
      },
      {},
      noEffect,
    ],
    [
      "changes that unset, with fields that nobody knows yet",
      "result",
      {
        v: 1,
        changes: [{
          taskid: 1,
          owner: null,
          activeForm: null,
          blockedBy: null,
          metadata: null,
          color: "red",
        }],
        weather: "fine",
      },
      {},
      {
        delta: { changes: [{ taskid: 1, owner: null, activeForm: null, blockedBy: null, metadata: null }] },
        calls: [],
        event: null,
      },
    ],
    ["a snapshot", "snapshot", { v: 1, compact_id: "k" }, {}, {
      ...noEffect,
      event: { kind: "compact.started", id: "k" },
    }],
    ["an injection", "inject", { v: 1, compact_id: "k" }, {}, {
      ...noEffect,
      event: { kind: "compact.finished", id: "k" },
    }],
    ["a rejection", "rejected", { v: 1, reason: "not_json" }, {}, noEffect],
    [
      "an exit",
      "event",
      { v: 1, kind: "agent.exited", event_id: "e", changes: [{ taskid: 1, owner: null }] },
      {},
      {
        delta: { changes: [{ taskid: 1, owner: null }] },
        calls: [],
        event: { kind: "agent.exited", id: "e" },
      },
    ],
    [
      "an event to its end, also behind what looks like a result's warnings",
      "event",
      { v: 1, changes: [created], warnings: [], kind: "session.closed", event_id: "e" },
      {},
      { delta: { changes: [created] }, calls: [], event: { kind: "session.closed", id: "e" } },
    ],
    [
      "a restore, with its reset and its calls",
      "event",
      {
        v: 1,
        kind: "session.restore",
        restore_id: "r",
        reset: { next_taskid: 5 },
        changes: [created],
        calls: [{ call_id: "c", hash: "h", taskids: [1] }],
      },
      {},
      {
        delta: { changes: [created], reset: { next_taskid: 5 } },
        calls: [{ hash: "h", callId: "c", taskids: [1], isRestored: true }],
        event: { kind: "session.restore", id: "r" },
      },
    ],
    [
      "an event that was a repeat",
      "event",
      { v: 1, kind: "session.closed", event_id: "e", duplicate: true, changes: [] },
      {},
      noEffect,
    ],
  ] as const
) {
  Deno.test(`readRecorded() reads ${about}`, () => assertEquals<unknown>(read(kind, body, headers), effect));
}

/** A result's head of so many bytes, and the subject in it: where it is long, a letter lies on bytes 255 and 256. */
function headOf(bytes: number): { readonly head: string; readonly subject: string } {
  const [start, end] = ['{"v":1,"changes":[{"taskid":1,"subject":"', '"}]'];
  const left = bytes - start.length - end.length;
  const subject = "é".repeat(Math.floor(left / 2)) + "a".repeat(left % 2);
  return { head: start + subject + end, subject };
}

for (const bytes of [241, 242, 243, 244, 254, 255, 256, 257, 300]) {
  Deno.test(`readRecorded() reads a result whose warnings begin at byte ${bytes}`, () => {
    const { head, subject } = headOf(bytes);
    const effect = { delta: { changes: [{ taskid: 1, subject }] }, calls: [], event: null };
    assertEquals(bytesOf(head).length, bytes);
    assertEquals(read("result", `${head},"warnings":["éé this is for others`), effect);
    assertEquals(read("result", joined(head, ',"warnings":[', [0xff])), effect);
  });
}

const cannot = "Cannot apply the output at seq 9";
for (
  const [about, kind, body, message] of [
    ["a newer version", "result", { v: 2, changes: "new" }, `${cannot}: this worker knows v 1: got 2`],
    ["a newer version of a rejection", "rejected", { v: 2 }, `${cannot}: this worker knows v 1: got 2`],
    ["what is no JSON", "result", "{", `${cannot}: it is not JSON`],
    ["what is no UTF-8", "event", new Uint8Array([0x22, 0xff, 0x22]), `${cannot}: it is not JSON`],
    [
      "a result that is no UTF-8 before its warnings",
      "result",
      joined('{"v":1,"changes":[{"taskid":1,"subject":"', [0xff], '"}],"warnings":[]}'),
      `${cannot}: it is not JSON`,
    ],
    [
      "a result that is no UTF-8 far before its warnings",
      "result",
      joined('{"v":1,"changes":[{"taskid":1,"subject":"', [0xff], "a".repeat(300), '"}],"warnings":[]}'),
      `${cannot}: it is not JSON`,
    ],
    ["a record without a version", "result", {}, `${cannot}: v: `],
    [
      "an unknown status",
      "result",
      { v: 1, changes: [{ taskid: 1, status: "lost" }] },
      `${cannot}: changes.0.status: `,
    ],
    ["a taskid that is none", "result", { v: 1, changes: [{ taskid: 0 }] }, `${cannot}: changes.0.taskid: `],
    [
      "an unknown kind of event",
      "event",
      { v: 1, kind: "session.opened" },
      `${cannot}: its kind is unknown: got session.opened`,
    ],
    [
      "an event without its id",
      "event",
      { v: 1, kind: "agent.exited", restore_id: "r" },
      `${cannot}: it names no id`,
    ],
    ["a snapshot without its id", "snapshot", { v: 1 }, `${cannot}: it names no id`],
  ] as const
) {
  Deno.test(`readRecorded() throws for ${about}`, () => {
    assertThrows(() => read(kind, body), UnreadableRecord, message);
  });
}
