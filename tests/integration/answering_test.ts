/** Calls over a real server: what the answers are, in which order, and what repeats get. */
import { assertEquals, assertMatch } from "@std/assert";
import { startFileServer } from "../helpers/file_server.ts";
import { Pod } from "../helpers/pod.ts";
import { everyInputHasOneOutput, readLog, untilAnswered, withConnection } from "../helpers/session_log.ts";
import { startWorker } from "../helpers/worker_in_process.ts";
import { patiently } from "../helpers/within.ts";

const server = await startFileServer();

async function streamCreated(): Promise<string> {
  return await withConnection(
    server,
    async (nc) => (await (await nc.jetstreamManager(patiently)).streams.info("TASKS")).created,
  );
}

function overview(pending: number, inprogress = 0, completed = 0, deleted = 0): string {
  const total = pending + inprogress + completed + deleted;
  return `TaskStore: ${total} task(s) (pending: ${pending}, inprogress: ${inprogress}, completed: ${completed}, deleted: ${deleted})`;
}

Deno.test("TaskCreate gets one result, whole, under headers that name its input", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const seq = await pod.sendCall("TaskCreate", { subject: "write parser", description: "for JSONC" }, {
    callId: "toolu_01",
  });
  const output = await pod.answer(seq);

  const task = { taskid: 1, status: "pending", subject: "write parser", description: "for JSONC" };
  const summary = `Created task 1 (pending): write parser\n${overview(1)}`;
  const { "Tasuki-Call": hash = "", ...headers } = output.headers;
  assertMatch(hash, /^[A-Za-z0-9_-]{22}$/);
  assertEquals({ ...output, headers }, {
    kind: "result",
    subject: `tasks.${pod.id}.out.result`,
    headers: { "Tasuki-Input": String(seq), "Nats-Msg-Id": `out-${await streamCreated()}-${seq}` },
    body: {
      v: 1,
      rules: 1,
      call_id: "toolu_01",
      tool: "TaskCreate",
      input_seq: seq,
      summary,
      result: {
        content: [{ type: "text", text: `${summary}\n${JSON.stringify(task)}` }],
        structuredContent: { task },
        isError: false,
      },
      changes: [task],
      warnings: [],
    },
  });
});

Deno.test("each tool is answered, and its answer names the canonical tool", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const a = { taskid: 1, status: "pending", subject: "a", description: "" };
  const b = { taskid: 2, status: "pending", subject: "b", description: "" };
  const steps: readonly [
    tool: string,
    args: unknown,
    answeredAs: string,
    structured: unknown,
    changes: unknown,
  ][] = [
    ["TaskCreate", { tasks: [{ subject: "a" }, { subject: "b", blockedBy: ["$1"] }] }, "TaskCreate", {
      tasks: [{ taskid: 1, subject: "a" }, { taskid: 2, subject: "b" }],
    }, [{ ...a }, { ...b, blockedBy: [1] }]],
    ["claim_task", {}, "TaskClaim", {
      task: { ...a, status: "inprogress", owner: "agent", blocks: [2] },
    }, [{ taskid: 1, status: "inprogress", owner: "agent" }]],
    ["TaskUpdate", { taskid: 1, subject: "A" }, "TaskUpdate", {
      task: { ...a, status: "inprogress", subject: "A", owner: "agent", blocks: [2] },
    }, [{ taskid: 1, subject: "A" }]],
    ["TaskRelease", { taskid: 1 }, "TaskRelease", {
      task: { ...a, subject: "A", blocks: [2] },
    }, [{ taskid: 1, status: "pending", owner: null }]],
    ["TaskClaim", { taskid: 1, owner: "o" }, "TaskClaim", {
      task: { ...a, status: "inprogress", subject: "A", owner: "o", blocks: [2] },
    }, [{ taskid: 1, status: "inprogress", owner: "o" }]],
    ["complete_task", { task_id: 1 }, "TaskComplete", {
      task: { ...a, status: "completed", subject: "A", owner: "o", blocks: [2] },
      unblocked: [{ taskid: 2, subject: "b" }],
    }, [{ taskid: 1, status: "completed" }]],
    ["TaskGet", { taskid: 2 }, "TaskGet", { task: { ...b, blockedBy: [1] } }, []],
    ["list_tasks", {}, "TaskList", {
      tasks: [{ ...a, status: "completed", subject: "A", owner: "o", blocks: [2] }, { ...b, blockedBy: [1] }],
      counts: { pending: 1, inprogress: 0, completed: 1, deleted: 0 },
    }, []],
    ["TaskList", { status: "pending", brief: true }, "TaskList", {
      tasks: [{ taskid: 2, status: "pending", subject: "b", blockedBy: [1] }],
      counts: { pending: 1, inprogress: 0, completed: 1, deleted: 0 },
    }, []],
  ];
  for (const [tool, args, answeredAs, structured, changes] of steps) {
    const { kind, body } = await pod.call(tool, args);
    const shown = {
      kind,
      tool: body.tool,
      ok: !body.result.isError,
      structured: body.result.structuredContent,
      changes: body.changes,
    };
    assertEquals(shown, { kind: "result", tool: answeredAs, ok: true, structured, changes });
  }
});

Deno.test("a refused call is answered and changes nothing", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const { kind, headers, body } = await pod.call("TaskGet", { taskid: 9 });
  const { isError, structuredContent: { error: { message, ...error } }, content: [{ text }] } = body.result;

  assertEquals({ kind, isError, error, changes: body.changes, text }, {
    kind: "result",
    isError: true,
    error: { code: "task_not_found", taskid: 9 },
    changes: [],
    text: `Refused (task_not_found): ${message}\nA correct call: TaskGet {"taskid":1}`,
  });
  assertEquals(Object.keys(headers).toSorted(), ["Nats-Msg-Id", "Tasuki-Input"]);
});

Deno.test("an output lies in the stream under these headers, spelled so, and no others", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const seqs = [
    await pod.sendCall("TaskCreate", { subject: "a" }),
    await pod.sendCall("TaskList"),
    await pod.sendCall("TaskGet", { taskid: 9 }),
    await pod.send("session.closed", '{"event_id":"e"}'),
    await pod.send("session.closed", "{"),
  ];
  await untilAnswered(server, seqs);
  const created = await streamCreated();
  const outputs = (await readLog(server)).filter(({ pod: id, direction }) =>
    id === pod.id && direction === "out"
  );

  const [{ "Tasuki-Call": hash = "" } = {}] = outputs.map(({ headers }) => headers);
  assertMatch(hash, /^[A-Za-z0-9_-]{22}$/);
  assertEquals(
    outputs.map(({ headers }) => headers),
    seqs.map((seq, index) => ({
      "Nats-Msg-Id": `out-${created}-${seq}`,
      "Tasuki-Input": String(seq),
      ...(index === 0 ? { "Tasuki-Call": hash } : {}),
    })),
  );
});

Deno.test("a second client that subscribes sees the same outputs", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  await using observer = await Pod.join(server, { id: pod.id });
  await pod.call("TaskCreate", { subject: "a" });
  await pod.call("TaskCreate", {});
  const { injection } = await pod.compact("c1");
  await observer.answer(Number(injection.headers["Tasuki-Input"]));

  assertEquals(observer.heard, pod.heard);
  assertEquals(pod.heard.map(({ kind }) => kind), ["result", "result", "snapshot", "inject"]);
});

Deno.test("calls of one pod that are sent together take effect in their order", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const calls = Array.from({ length: 200 }, (_, n) => pod.call("TaskCreate", { subject: `task ${n + 1}` }));
  const outputs = await Promise.all(calls);

  const bySeq = outputs.map(({ body }) => body).toSorted((a, b) => a.input_seq - b.input_seq);
  assertEquals(bySeq.map(({ changes }) => changes[0].taskid), Array.from({ length: 200 }, (_, n) => n + 1));
  await untilAnswered(server, bySeq.map(({ input_seq }) => input_seq));
  const recorded = (await readLog(server)).filter((message) =>
    message.pod === pod.id && message.direction === "out"
  );
  assertEquals(
    recorded.map(({ headers }) => Number(headers["Tasuki-Input"])),
    bySeq.map(({ input_seq }) => input_seq),
  );
});

Deno.test("500 calls that came while no worker ran are answered in order, once, when one starts", async () => {
  await using red = await Pod.join(server);
  await using blue = await Pod.join(server);
  const pods = [red, blue];
  const seqs: number[][] = [[], []];
  for (let n = 0; n < 500; n++) {
    seqs[n % 2]?.push(await pods[n % 2]!.sendCall("TaskCreate", { subject: `task ${n}` }));
  }
  await using _worker = await startWorker(server);

  await untilAnswered(server, seqs.flat());
  for (const [at, pod] of pods.entries()) {
    await pod.answer(seqs[at]!.at(-1)!);
    assertEquals(pod.heard.map(({ body }) => body.input_seq), seqs[at]);
    assertEquals(
      pod.heard.map(({ body }) => body.changes[0].taskid),
      Array.from({ length: 250 }, (_, n) => n + 1),
    );
  }
  await everyInputHasOneOutput(server);
});

Deno.test("the same call sent five times makes one task and gets the first answer each time", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const send = () =>
    pod.call("TaskCreate", { subject: "once" }, { callId: "toolu_1", agent: "a", session: "s" });
  const [first, ...repeats] = await Promise.all([send(), send(), send(), send(), send()]);

  for (const { body, headers } of repeats) {
    assertEquals(body, { ...first!.body, input_seq: body.input_seq, duplicate: true, changes: [] });
    assertEquals(headers["Tasuki-Call"], undefined);
  }
  assertEquals((await pod.tasks()).length, 1);
});

Deno.test("the same call id with other content, agent or session is a new call, and a warning says so", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const callId = "call_0";
  const outputs = [
    await pod.call("TaskCreate", { subject: "a" }, { callId }),
    await pod.call("TaskCreate", { subject: "b" }, { callId }),
    await pod.call("TaskCreate", { subject: "a" }, { callId, agent: "other" }),
    await pod.call("TaskCreate", { subject: "a" }, { callId, session: "other" }),
    await pod.call("TaskUpdate", { taskid: 1, subject: "c" }, { callId }),
  ];

  const warning = "this call_id was used before with other content: it was taken as a new call";
  assertEquals(outputs.map(({ body }) => body.duplicate), outputs.map(() => undefined));
  assertEquals(outputs.map(({ body }) => body.warnings), [[], [warning], [warning], [warning], [warning]]);
  assertEquals((await pod.tasks()).map(({ subject }) => subject), ["c", "b", "a", "a"]);
});

Deno.test("a repeat after a restart gets the first answer, byte for byte but for what marks it", async () => {
  await using pod = await Pod.join(server);
  const create = () => pod.call("TaskCreate", { subject: "a", description: "long" }, { callId: "c-1" });
  const close = () => pod.input("agent.exited", { event_id: "e-1", agent: "nobody" });
  const before = await startWorker(server);
  const first = await create();
  const exit = await close();
  await pod.call("TaskUpdate", { taskid: 1, status: "completed", subject: "z" }, { callId: "c-2" });
  await before.stop();
  await using _after = await startWorker(server);
  const again = await create();
  const exitAgain = await close();

  assertEquals(again.body, { ...first.body, input_seq: again.body.input_seq, duplicate: true, changes: [] });
  assertEquals(exitAgain.body, {
    ...exit.body,
    input_seq: exitAgain.body.input_seq,
    duplicate: true,
    changes: [],
  });
  assertEquals((await pod.tasks()).map(({ subject, status }) => [subject, status]), [["z", "completed"]]);
});

Deno.test("reading calls are never repeats: the same TaskList shows the list as it is now", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const list = () => pod.call("TaskList", {}, { callId: "same" });
  const { body: empty } = await list();
  await pod.call("TaskCreate", { subject: "a" });
  const { body: one } = await list();

  assertEquals([empty.duplicate, empty.summary], [undefined, overview(0)]);
  assertEquals([one.duplicate, one.summary, one.warnings], [undefined, overview(1), []]);
});
