/** `Tasuki-Reply`: where a copy of the answer goes, and that nothing else a caller writes steers it (R8). */
import { assertEquals } from "@std/assert";
import { type Msg } from "nats";
import { startFileServer } from "../helpers/file_server.ts";
import { Pod } from "../helpers/pod.ts";
import { withConnection } from "../helpers/session_log.ts";
import { awaitedLater, within } from "../helpers/within.ts";
import { startWorker } from "../helpers/worker_in_process.ts";

const server = await startFileServer();

/** The subjects outside the pod's own lanes on which something came while `use` ran, up to a reply to `_INBOX.end`. */
async function subjectsOutside(pod: Pod, end: string, use: () => Promise<void>): Promise<readonly string[]> {
  return await withConnection(server, async (nc) => {
    const subjects: string[] = [];
    const subscription = nc.subscribe(">");
    await nc.flush();
    await use();
    await pod.call("TaskList", {}, { headers: { "Tasuki-Reply": end } });
    for await (const { subject } of subscription) {
      if (subject === end) break;
      if (!/^(tasks|\$JS|\$KV|_TASUKI_INBOX)\.|^_INBOX\.[A-Z0-9]{22}\./.test(subject)) subjects.push(subject);
    }
    return subjects;
  });
}

Deno.test("the answer goes to Tasuki-Reply too, the same bytes as recorded", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const inbox = `_INBOX.${pod.id}.1`;
  const replies: Msg[] = [];
  const listening = awaitedLater((async () => {
    for await (const message of pod.nc.subscribe(inbox, { max: 3 })) replies.push(message);
  })());
  const headers = { "Tasuki-Reply": inbox };
  const seqs = [
    await pod.sendCall("TaskCreate", { subject: "a" }, { headers }),
    await pod.send("compact.started", JSON.stringify({ compact_id: "c" }), headers),
    await pod.send("call.TaskCreate", "no JSON", headers),
  ];
  await within(listening, "three replies");

  const recorded = (await Promise.all(seqs.map((seq) => pod.outputsOf(seq)))).flat();
  assertEquals(recorded.map(({ rest }) => rest), ["result", "snapshot", "rejected"]);
  assertEquals(replies.map(({ data }) => new Uint8Array(data)), recorded.map(({ data }) => data));
});

Deno.test("a reply that is not under _INBOX, or no literal subject, goes nowhere; the answer is recorded as ever", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const forged = [
    "elsewhere",
    `tasks.${pod.id}.in.call.TaskCreate`,
    "tasks.other.in.session.closed",
    "$JS.API.STREAM.DELETE.TASKS",
    "_INBOX",
    "_INBOX.",
    "_INBOX.*",
    "_INBOX.>",
    "_INBOX.a.*.b",
    "_INBOX.a..b",
    "_INBOX.a.",
    "_INBOX.a b",
    "_INBOX.a\tb",
    "_INBOX.a\u0001b",
    "_INBOX.ä",
    `_INBOX.${"x".repeat(300)}`,
    "_inbox.a",
    "X_INBOX.a",
    "",
  ];
  const subjects = await subjectsOutside(pod, "_INBOX.end.1", async () => {
    for (const [n, reply] of forged.entries()) {
      await pod.call("TaskCreate", { subject: `task ${n}` }, { headers: { "Tasuki-Reply": reply } });
    }
  });

  assertEquals(subjects, []);
  assertEquals((await pod.tasks()).length, forged.length);
});

Deno.test('with replies "pod" only what is under _INBOX.<pod>. is honoured', async () => {
  await using _worker = await startWorker(server, { replies: "pod" });
  await using pod = await Pod.join(server);
  const own = `_INBOX.${pod.id}.own`;
  const subjects = await subjectsOutside(pod, `_INBOX.${pod.id}.end`, async () => {
    for (const reply of ["_INBOX.other.1", `_INBOX.${pod.id}`, `_INBOX.${pod.id}x.1`, own]) {
      await pod.call("TaskCreate", { subject: reply }, { headers: { "Tasuki-Reply": reply } });
    }
  });

  assertEquals(subjects, [own]);
});

Deno.test("a reply subject of the message itself steers nothing", async () => {
  await using _worker = await startWorker(server);
  await using pod = await Pod.join(server);
  const subjects = await subjectsOutside(pod, "_INBOX.end.2", async () => {
    const data = JSON.stringify({ call_id: "c", arguments: { subject: "a" } });
    pod.nc.publish(`tasks.${pod.id}.in.call.TaskCreate`, data, { reply: "elsewhere" });
    await pod.nc.flush();
  });

  // The server's own acknowledgement is what goes there.
  assertEquals(subjects, ["elsewhere"]);
});
