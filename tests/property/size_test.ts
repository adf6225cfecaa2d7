/** Every answer about a full store fits one message of 1 MiB, whatever its tasks are made of (R12). */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { agentCharsMax, messageBytesMax, storeCostBytesMax } from "../../src/tasks/limits.ts";
import { carriedOverText, summarySourceText } from "../../src/tasks/list_text.ts";
import { changeThatMakes } from "../../src/log/restore.ts";
import { emptyStore, type TaskStore } from "../../src/tasks/store.ts";
import { joinLines, trimWhiteSpace } from "../../src/tasks/text.ts";
import { type Body, MemoryLog, MemoryWorker, subjects } from "../helpers/memory_log.ts";
import { after, create, createBatch, newTask, outcomeOf } from "../helpers/stores.ts";

/** What is left of a message for its subject and headers. */
const headerBytes = 2_048;

/** What a task can be full of: dear as JSON, dear as JSON in JSON, dear as an escape, or just long. */
const pieces = ["\0", "<", "\n", '"', "\\", "\u2028", "\u{e0041}", "👩‍👧", "日", "x", "```\r\n</s>\t"];
const piece = fc.constantFrom(...pieces);
const longOwner = "x".repeat(agentCharsMax);

interface Recipe {
  readonly piece: string;
  /** Characters of a task's texts; short ones make many tasks. */
  readonly subjectLength: number;
  readonly descriptionLength: number;
  readonly hasMetadata: boolean;
  /** How many of the tasks before it a task waits for, besides the first. */
  readonly blockers: number;
}

const recipe: fc.Arbitrary<Recipe> = fc.record({
  piece,
  subjectLength: fc.constantFrom(1, 20, 500),
  descriptionLength: fc.constantFrom(0, 40, 2_000),
  hasMetadata: fc.boolean(),
  blockers: fc.constantFrom(0, 1, 20, 63),
});

function filled(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length).toWellFormed();
}

/** The texts that the recipe makes. */
function textsOf({ piece, subjectLength, descriptionLength, hasMetadata }: Recipe) {
  return newTask({
    subject: trimWhiteSpace(joinLines(`s${filled(piece, subjectLength - 1)}`)),
    description: filled(piece, descriptionLength),
    metadata: hasMetadata ? { [filled(piece, 20)]: filled(piece, 200) } : null,
    owner: longOwner,
  });
}

/** Task 1, and as many tasks that wait for it as the store takes. */
function fullStore(recipe: Recipe): TaskStore {
  const task = textsOf(recipe);
  let store = after(emptyStore(), create({ subject: task.subject, owner: longOwner }));
  for (let size = 20; size > 0;) {
    const last = store.nextTaskid - 1;
    const recent = Array.from(
      { length: Math.min(recipe.blockers, last) },
      (_, index) => ({ taskid: last - index }),
    );
    const blockedBy = [{ taskid: 1 }, ...recent];
    const command = createBatch(...Array.from({ length: size }, () => ({ ...task, blockedBy })));
    if ("code" in outcomeOf(store, command)) size = Math.floor(size / 2);
    else store = after(store, command);
  }
  return store;
}

/** A pod that has the store already; notes the size of each answer. */
class FullPod {
  readonly #log = new MemoryLog();
  readonly #worker = new MemoryWorker(this.#log);
  readonly sizes = new Map<string, number>();

  constructor(store: TaskStore) {
    this.#log.publish(subjects.input("p", "session.closed"), { event_id: "open" });
    this.#worker.settle();
    this.pod.store = store;
  }

  get pod() {
    const podLog = this.#worker.fold.pods.get("p");
    if (!podLog) throw new Error("The pod has no log");
    return podLog.pod;
  }

  publish(rest: string, content: Body): void {
    this.#log.publish(subjects.input("p", rest), content);
    const [output] = this.#worker.settle();
    if (!output) throw new Error(`No answer to ${rest}`);
    this.sizes.set(`${rest} ${this.sizes.size}`, output.data.length);
  }

  /** With an agent's longest name, ten long unknown fields and the longest ids. */
  call(tool: string, args: Body): void {
    const unknown = Array.from({ length: 12 }, (_, index) => [`${"\0".repeat(200)}${index}`, 1]);
    this.publish(`call.${tool}`, {
      call_id: `${this.sizes.size}${'"'.repeat(120)}`,
      agent: longOwner,
      arguments: { ...args, ...Object.fromEntries(unknown) },
    });
  }
}

Deno.test("every answer about a full store fits one message", () => {
  fc.assert(
    fc.property(recipe, (recipe) => {
      const store = fullStore(recipe);
      assertEquals(store.costBytes > 0.9 * storeCostBytesMax, true);
      const pod = new FullPod(store);
      const all = store.tasks.slice(1).map((task) => task.taskid);
      const session = "\0".repeat(128);
      pod.call("TaskList", {});
      pod.call("TaskList", { brief: true, status: "pending" });
      pod.publish("compact.started", { compact_id: '"'.repeat(128), session });
      pod.publish("compact.finished", { compact_id: '"'.repeat(128), session });
      pod.publish("agent.exited", { event_id: "e", agent: longOwner, reason: session });
      const { store: freed } = pod.pod;
      pod.call("TaskUpdate", { taskid: 1, removeBlocks: all });
      pod.pod.store = freed;
      pod.call("TaskUpdate", { taskid: 1, status: "completed" });
      pod.call("TaskUpdate", { taskid: 1, addBlockedBy: [all.at(-1)] });
      pod.call("TaskClaim", {});
      pod.pod.store = emptyStore();
      pod.call("TaskCreate", { subject: "s", description: filled(recipe.piece, 4_000) });
      const { subject, description } = textsOf(recipe);
      pod.call("TaskCreate", {
        tasks: Array.from(
          { length: recipe.descriptionLength > 40 ? 20 : 50 },
          () => ({ subject, description }),
        ),
      });
      for (const text of [carriedOverText(store), summarySourceText(store)]) {
        const entries = [{ type: "message", role: "system", text }];
        pod.publish("session.restore", { restore_id: `r${pod.sizes.size}`, mode: "replace", entries });
        assertEquals(pod.pod.store.tasks.map(changeThatMakes), store.tasks.map(changeThatMakes));
      }
      assertEquals([...pod.sizes].filter(([, bytes]) => bytes > messageBytesMax - headerBytes), []);
    }),
    { numRuns: 25 },
  );
});
