/** What real folders hold, and what is read of it. */
import { assertEquals } from "@std/assert";
import { taskFileBytesMax } from "../../../src/files/task_file.ts";
import type { TaskView } from "../../../src/tasks/task.ts";
import { imported } from "../../helpers/task_files.ts";

const one: TaskView = { taskid: 1, status: "pending", subject: "a", description: "" };

Deno.test("import reads a folder of the course, and keeps edges to done tasks from their blocks", async () => {
  assertEquals(
    await imported({
      "task_1.json": {
        id: 1,
        subject: "a",
        description: "",
        status: "completed",
        blockedBy: [],
        blocks: [2],
        owner: "",
      },
      "task_2.json": {
        id: 2,
        subject: "b",
        description: "x",
        status: "in_progress",
        blockedBy: [],
        blocks: [],
        owner: "w",
      },
      "task_3.json": { id: 3, subject: "c", status: "pending", blockedBy: [2] },
    }),
    {
      tasks: [
        { taskid: 1, status: "completed", subject: "a", description: "", blocks: [2] },
        {
          taskid: 2,
          status: "inprogress",
          subject: "b",
          description: "x",
          owner: "w",
          blockedBy: [1],
          blocks: [3],
        },
        { taskid: 3, status: "pending", subject: "c", description: "", blockedBy: [2], openBlockers: [2] },
      ],
      nextTaskid: 4,
      notes: [],
    },
  );
});

Deno.test("import reads a folder of Claude Code, and its high-water mark", async () => {
  assertEquals(
    await imported({
      "1.json": {
        id: "1",
        subject: "a",
        description: "",
        activeForm: "Doing a",
        status: "pending",
        blocks: ["3"],
        blockedBy: [],
      },
      "3.json": {
        id: "3",
        subject: "c",
        description: "",
        owner: "w",
        status: "in_progress",
        blocks: [],
        blockedBy: ["1"],
        metadata: { k: 1 },
      },
      ".highwatermark": "7\n",
      ".lock": "",
      "notes.txt": "not a task",
    }),
    {
      tasks: [
        { ...one, activeForm: "Doing a", blocks: [3] },
        {
          taskid: 3,
          status: "inprogress",
          subject: "c",
          description: "",
          owner: "w",
          blockedBy: [1],
          openBlockers: [1],
          metadata: { k: 1 },
        },
      ],
      nextTaskid: 8,
      notes: [],
    },
  );
});

for (
  const [about, file, task] of [
    ["blockedBy that is null", { id: 1, subject: "a", blockedBy: null, blocks: null, owner: null }, one],
    ["an id as text", { id: "1", subject: "a" }, one],
    ["no id", { subject: "a" }, one],
    ["a hand-written status", { id: 1, subject: "a", status: "Done" }, { ...one, status: "completed" }],
    ["a status with a hyphen", { id: 1, subject: "a", status: "in-progress" }, {
      ...one,
      status: "inprogress",
    }],
    ["a title", { id: 1, title: "a" }, one],
    ["a description that is null", { id: 1, subject: "a", description: null }, one],
    ["comments and trailing commas", '\ufeff{ "id": 1, /* so */ "subject": "a", }', one],
    [
      "float timestamps and unknown fields",
      { id: 1, subject: "a", created_at: 1730000000.25, tags: ["x"], parent: null },
      { ...one, metadata: { created_at: 1730000000.25, tags: ["x"] } },
    ],
    [
      "unknown fields beside metadata",
      { id: 1, subject: "a", priority: 1, metadata: { k: 2 } },
      { ...one, metadata: { k: 2, priority: 1 } },
    ],
    ["metadata as JSON text", { id: 1, subject: "a", metadata: '{"k":2}' }, { ...one, metadata: { k: 2 } }],
    ["metadata that is none", { id: 1, subject: "a", metadata: [1] }, {
      ...one,
      metadata: { metadata: [1] },
    }],
    ["two names of a field", { id: 1, subject: "a", content: "b" }, { ...one, metadata: { content: "b" } }],
  ] as const
) {
  Deno.test(`import takes ${about}`, async () => {
    assertEquals(await imported({ "task_1.json": file }), { tasks: [task], nextTaskid: 2, notes: [] });
  });
}

for (
  const [about, file, message] of [
    ["no JSON", "{", 'must be a JSON object: got "{"'],
    ["an empty file", "", 'must be a JSON object: got ""'],
    ["no object", [], "must be a JSON object: got []"],
    ["no subject", { id: 2 }, "subject is missing"],
    ["a blank subject", { id: 2, subject: " " }, "subject must have something to read: got only blanks"],
    [
      "a status that means nothing",
      { id: 2, subject: "b", status: "wip" },
      'status must be one of pending, inprogress, completed, deleted: got "wip"',
    ],
    [
      "a subject that is too long",
      { subject: "x".repeat(501) },
      "subject may have at most 500 characters: got 501",
    ],
    [
      "blockers that are none",
      { subject: "b", blockedBy: [{}] },
      "blockedBy must be a list of ids: got [{}]",
    ],
    ["blocked tasks that are none", { subject: "b", blocks: true }, "blocks must be a list of ids: got true"],
    ["other bytes", new Uint8Array([0x7b, 0xff, 0x7d]), "must be UTF-8: got other bytes"],
    ["deep brackets", `{"a":${"[".repeat(99)}${"]".repeat(99)}}`, "may be nested 64 levels deep: got more"],
    ["too much", " ".repeat(taskFileBytesMax + 1), `may have at most 262144 bytes: got 262145`],
  ] as const
) {
  Deno.test(`import names a file with ${about}, and takes the others`, async () => {
    assertEquals(await imported({ "task_1.json": { id: 1, subject: "a" }, "task_2.json": file }), {
      tasks: [one],
      nextTaskid: 2,
      notes: [`✗ task_2.json: ${message}`],
    });
  });
}

Deno.test("import keeps an owner that is no agent's name in the metadata, and says so", async () => {
  assertEquals(await imported({ "task_1.json": { id: 1, subject: "a", owner: "Bob Smith" } }), {
    tasks: [{ ...one, metadata: { owner: "Bob Smith" } }],
    nextTaskid: 2,
    notes: [`task_1.json: has no owner any more: "Bob Smith" is no agent's name, and kept in the metadata`],
  });
});

Deno.test("import leaves out unknown fields for which the metadata has no room, and says so", async () => {
  const history = "x".repeat(4_096);
  assertEquals(
    await imported({ "1.json": { subject: "a", history, metadata: { k: 1 }, k: 2, priority: 1 } }),
    {
      tasks: [{ ...one, metadata: { k: 1, priority: 1 } }],
      nextTaskid: 2,
      notes: [
        '1.json: left out "history": metadata may have at most 4096 bytes of JSON',
        '1.json: "k" stands in the metadata, too: that one is kept',
      ],
    },
  );
});

Deno.test("import takes metadata of exactly as many bytes as a task may have", async () => {
  const metadata = { k: "x".repeat(4_096 - `{"k":""}`.length) };
  assertEquals(await imported({ "1.json": { subject: "a", metadata } }), {
    tasks: [{ ...one, metadata }],
    nextTaskid: 2,
    notes: [],
  });
});

Deno.test("import joins a subject's lines and drops keys that could reach a prototype, and says so", async () => {
  assertEquals(
    await imported({ "1.json": '{"subject": "a\\nb", "__proto__": {"c": 1}, "constructor": 2}' }),
    {
      tasks: [{ ...one, subject: "a b" }],
      nextTaskid: 2,
      notes: [
        '1.json: dropped the metadata key "__proto__"',
        '1.json: dropped the metadata key "constructor"',
        "1.json: subject had line breaks: they were joined by spaces",
      ],
    },
  );
});
