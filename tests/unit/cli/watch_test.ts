import { assertEquals } from "@std/assert";
import { timeOfDay } from "../../../src/cli/age.ts";
import { watch } from "../../../src/cli/watch.ts";
import { MemoryLog, MemoryWorker, subjects } from "../../helpers/memory_log.ts";
import { MemoryWorld, type Printed, runCommand } from "../../helpers/memory_world.ts";
import { within } from "../../helpers/within.ts";

/** A running watch over a log that a worker answers. */
class Watching {
  readonly log = new MemoryLog();
  readonly #worker = new MemoryWorker(this.log);
  readonly world: MemoryWorld;
  #running: Promise<Printed> | null = null;
  #calls = 0;

  constructor(options: { readonly isTerminal: boolean }) {
    this.world = new MemoryWorld({ log: this.log, ...options });
  }

  call(pod: string, tool: string, args: unknown): void {
    this.log.publish(subjects.input(pod, `call.${tool}`), { call_id: `c${++this.#calls}`, arguments: args });
    this.#worker.settle();
  }

  start(...args: string[]): void {
    this.#running = runCommand(this.world, watch, ...args);
  }

  /** Once this was printed. */
  async printed(text: string): Promise<void> {
    const poll = async (): Promise<void> => {
      while (!this.world.printed.includes(text)) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await within(poll(), () => `${JSON.stringify(text)} in ${JSON.stringify(this.world.printed)}`);
  }

  /** As a signal does. */
  async stop(): Promise<Printed> {
    this.world.stopping.abort();
    if (!this.#running) throw new Error("Expected a running watch");
    return await within(this.#running, "end of the watch");
  }
}

Deno.test("watch of one pod, piped, prints its list and then a line for each change", async () => {
  const watching = new Watching({ isTerminal: false });
  watching.call("p", "TaskCreate", { subject: "old" });
  watching.start("p");
  await watching.printed("old");
  watching.call("p", "TaskUpdate", { taskid: 1, status: "inprogress" });
  watching.call("q", "TaskCreate", { subject: "of another pod" });
  await watching.printed("inprogress: old");
  const { code, out, err } = await watching.stop();
  assertEquals([code, err], [0, ""]);
  assertEquals(out.split("\n"), [
    "p: 1 task, 1 pending",
    "      created  changed",
    " ◦ 1      59s      59s  old",
    `${timeOfDay(4_000)} task 1 pending → inprogress: old`,
    "",
  ]);
});

Deno.test("watch of all pods prints what happens from now on, with the pod's name", async () => {
  const watching = new Watching({ isTerminal: true });
  watching.call("p", "TaskCreate", { subject: "old" });
  watching.start();
  await new Promise((resolve) => setTimeout(resolve, 20));
  watching.call("q", "TaskCreate", { subject: "new" });
  watching.call("p", "TaskGet", { taskid: 9 });
  await watching.printed("refused");
  const { out } = await watching.stop();
  assertEquals(out.split("\n"), [
    `${timeOfDay(4_000)} q task 1 created: new`,
    `${timeOfDay(6_000)} p TaskGet refused (task_not_found)`,
    "",
  ]);
});

Deno.test("watch on a terminal draws the list in place, and leaves it when it stops", async () => {
  const watching = new Watching({ isTerminal: true });
  watching.call("p", "TaskCreate", { subject: "old" });
  watching.start("p");
  await watching.printed("old");
  watching.call("p", "TaskCreate", { subject: "new" });
  await watching.printed("created: new");
  watching.world.size = { columns: 12, rows: 24 };
  await watching.printed("p: 2 tasks…");
  const before = watching.world.printed;
  const { code, out } = await watching.stop();
  assertEquals(code, 0);
  const frames = out.split("\x1b[?2026h").slice(1);
  assertEquals(frames[0]?.includes("\x1b[3A"), false);
  assertEquals(frames[1]?.includes("\x1b[3A"), true);
  assertEquals(frames[1]?.includes("*◦ 2"), true);
  assertEquals(frames.every((frame) => frame.endsWith("\x1b[?7h\x1b[?25h\x1b[?2026l")), true);
  assertEquals(out.length > before.length, true);
});

Deno.test("watch says what it waits for where there is nothing to show", async () => {
  for (
    const [args, said] of [
      [[], "Waiting for changes\n"],
      [["nope"], "There is no pod nope yet: waiting for it\n"],
      [["p"], ""],
    ] as const
  ) {
    const watching = new Watching({ isTerminal: false });
    watching.call("p", "TaskCreate", { subject: "old" });
    watching.start(...args);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assertEquals((await watching.stop()).err, said);
  }
  const drawn = new Watching({ isTerminal: true });
  drawn.start("nope");
  await drawn.printed("There is no pod nope yet: waiting for it");
  await drawn.stop();
});
