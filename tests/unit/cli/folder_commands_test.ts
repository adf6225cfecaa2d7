import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { exportFiles } from "../../../src/cli/export.ts";
import { importFiles } from "../../../src/cli/import.ts";
import { OperatorError, UsageError } from "../../../src/errors.ts";
import { bodyOf, MemoryLog, MemoryWorker, subjects } from "../../helpers/memory_log.ts";
import { MemoryFolder } from "../../helpers/memory_folder.ts";
import { MemoryWorld, runCommand } from "../../helpers/memory_world.ts";
import { within } from "../../helpers/within.ts";

function givenLog(): MemoryLog {
  const log = new MemoryLog();
  const tasks = [{ subject: "a" }, { subject: "b", blockedBy: ["$1"] }];
  log.publish(subjects.input("p", "call.TaskCreate"), { call_id: "c", arguments: { tasks } });
  new MemoryWorker(log).settle();
  return log;
}

function complete(log: MemoryLog, taskid: number): void {
  const call = { call_id: `done ${taskid}`, arguments: { taskid, status: "completed" } };
  log.publish(subjects.input("p", "call.TaskUpdate"), call);
  new MemoryWorker(log).settle();
}

Deno.test("export writes a pod's list, says what it did, and does it once", async () => {
  const world = new MemoryWorld({ log: givenLog() });
  assertEquals(await runCommand(world, exportFiles, "p", ".tasks"), {
    code: 0,
    out: "Wrote 2 file(s) to memory\n",
    err: "",
  });
  assertEquals(await world.folder.names(), [".highwatermark", "task_1.json", "task_2.json"]);
  const again = new MemoryWorld({ log: world.log, folder: world.folder });
  assertEquals(
    (await runCommand(again, exportFiles, "p", ".tasks")).out,
    "Wrote 0 file(s) to memory, 2 said the same already\n",
  );
});

Deno.test("export fails where it left a newer file as it is, and writes it when it is forced", async () => {
  const folder = new MemoryFolder({ "9.json": {} });
  folder.put("1.json", { subject: "mine" }, { changedMs: 5_000 });
  const log = givenLog();
  assertEquals(
    await runCommand(new MemoryWorld({ log, folder }), exportFiles, "p", "x", "--flavour", "claude"),
    {
      code: 1,
      out: "Wrote 1 file(s) to memory\n",
      err: "Left out 1.json: is newer than what the pod's list knows\n" +
        "9.json: is left as it is: the pod's list has no such task\n",
    },
  );
  const forced = await runCommand(
    new MemoryWorld({ log, folder }),
    exportFiles,
    ...["p", "x", "--flavour", "claude", "--force"],
  );
  assertEquals([forced.code, forced.out], [0, "Wrote 1 file(s) to memory, 1 said the same already\n"]);
});

Deno.test("export refuses pods and flavours that there are not", async () => {
  const world = new MemoryWorld({ log: givenLog() });
  const noPod = await assertRejects(() => runCommand(world, exportFiles, "q", "x"), OperatorError);
  assertEquals(noPod.message, "Cannot export: there is no pod q");
  await assertRejects(() => runCommand(world, exportFiles, "p", "x", "--flavour", "jira"), UsageError);
  assertEquals(world.folder.written, []);
});

Deno.test("export that is stopped before it has read the log fails", async () => {
  const world = new MemoryWorld({ log: givenLog() });
  world.stopping.abort();
  await assertRejects(() => runCommand(world, exportFiles, "p", "x"), OperatorError, "Stopped before");
});

Deno.test("export --mirror writes what changes, until it is stopped", async () => {
  const log = givenLog();
  const world = new MemoryWorld({ log });
  const running = runCommand(world, exportFiles, "p", "x", "--mirror");
  const printed = async (text: string): Promise<void> => {
    const poll = async (): Promise<void> => {
      while (world.printed !== text) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await within(poll(), () => `${JSON.stringify(text)}: got ${JSON.stringify(world.printed)}`);
  };
  await printed("Wrote 2 file(s) to memory\n");
  world.folder.written.splice(0);
  complete(log, 2);
  await printed("Wrote 2 file(s) to memory\nWrote 1 file(s) to memory\n");
  assertEquals(world.folder.written, ["task_2.json"]);
  world.stopping.abort();
  assertEquals((await within(running, "end of the mirror")).code, 0);
});

Deno.test("import restores a folder into a pod by one snapshot, and fails where it left something out", async () => {
  const folder = new MemoryFolder({
    "1.json": { id: "1", subject: "a", status: "done", blocks: ["3"] },
    "2.json": "{",
    "3.json": { id: "3", subject: "c", blockedBy: ["2"] },
    ".highwatermark": "5",
  });
  const world = new MemoryWorld({ folder });
  const printed = await runCommand(world, importFiles, "p", "x");
  assertEquals([printed.code, printed.out], [1, "Imported 2 task(s) into pod p\n"]);
  assertEquals(printed.err.split("\n").slice(0, 2), [
    'Left out 2.json: must be a JSON object: got "{"',
    "3.json: waits for 2, which is missing",
  ]);
  const [restore, event] = world.log.messages;
  const { entries } = restore ? bodyOf(restore) : { entries: [] };
  assertEquals(Array.isArray(entries) && entries.map(({ type, role }) => ({ type, role })), [
    { type: "message", role: "system" },
  ]);
  const { changes, reset } = event ? bodyOf(event) : { changes: [], reset: null };
  assertEquals({ changes, reset }, {
    changes: [
      { taskid: 1, status: "completed", subject: "a", description: "" },
      { taskid: 3, status: "pending", subject: "c", description: "", blockedBy: [1, 2] },
    ],
    reset: { next_taskid: 6 },
  });
});

Deno.test("import takes a list that has tasks only when it may replace it", async () => {
  const folder = new MemoryFolder({ "1.json": { subject: "other" } });
  const log = givenLog();
  const error = await assertRejects(
    () => runCommand(new MemoryWorld({ log, folder }), importFiles, "p", "x"),
    OperatorError,
  );
  assertMatch(error.message, /^Cannot restore into pod p: a restore goes into an empty store/);
  assertMatch(error.message, /: use --mode replace to replace its list$/);
  const replaced = await runCommand(
    new MemoryWorld({ log, folder }),
    importFiles,
    "p",
    "x",
    "--mode",
    "replace",
  );
  assertEquals([replaced.code, replaced.out], [0, "Imported 1 task(s) into pod p\n"]);
});

Deno.test("import asks for nothing where the folder holds no task, too many, or the mode is none", async () => {
  const world = new MemoryWorld({ folder: new MemoryFolder({ "notes.txt": "" }) });
  const empty = await assertRejects(() => runCommand(world, importFiles, "p", "x"), OperatorError);
  assertEquals(empty.message, 'Cannot import "x": it holds no task');
  await assertRejects(() => runCommand(world, importFiles, "p", "x", "--mode", "merge"), UsageError);
  const names = Array.from({ length: 2_001 }, (_, index) => [`${index + 1}.json`, { subject: "s" }]);
  const full = new MemoryWorld({ folder: new MemoryFolder(Object.fromEntries(names)) });
  const error = await assertRejects(() => runCommand(full, importFiles, "p", "x"), OperatorError);
  assertEquals(error.message, 'Cannot import "x": a store holds 2000 tasks: got 2001 files');
  assertEquals([world.log.messages, full.log.messages], [[], []]);
});
