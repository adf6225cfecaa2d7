/** One pod over a log in memory: publishes an input and gives the answer, whose shape it checks. */
import { z } from "zod";
import type { Pod } from "../../src/log/pod.ts";
import type { EventKind } from "../../src/log/read_input.ts";
import type { TaskStore } from "../../src/tasks/store.ts";
import { type Body, bodyOf, MemoryLog, MemoryWorker, subjects } from "./memory_log.ts";

const object = z.record(z.string(), z.unknown());

/** SPEC §3. */
const toolResult = z.strictObject({
  v: z.literal(1),
  rules: z.literal(1),
  call_id: z.string(),
  tool: z.string(),
  input_seq: z.int(),
  duplicate: z.literal(true).exactOptional(),
  summary: z.string(),
  result: z.strictObject({
    content: z.tuple([z.strictObject({ type: z.literal("text"), text: z.string() })]),
    structuredContent: object,
    isError: z.boolean(),
  }),
  changes: z.array(object),
  taskids: z.array(z.int()).exactOptional(),
  warnings: z.array(z.string()),
});
export type ToolResult = z.infer<typeof toolResult>;

export interface CallFields {
  readonly call_id?: string;
  readonly agent?: string;
  readonly session?: string;
}

export class TestPod {
  readonly id: string;
  readonly log: MemoryLog;
  #worker: MemoryWorker;
  #calls = 0;

  constructor(id = "p", log = new MemoryLog()) {
    this.id = id;
    this.log = log;
    this.#worker = new MemoryWorker(log);
  }

  /** @param args the call's `arguments`, as they go on the wire */
  call(tool: string, args: unknown = {}, fields: CallFields = {}): ToolResult {
    const body = { call_id: `auto-${++this.#calls}`, ...fields, arguments: args };
    return toolResult.parse(this.publish(`call.${tool}`, body));
  }

  event(kind: EventKind, body: Body): Body {
    return this.publish(kind, body);
  }

  /** Publishes any content on any input of this pod, and gives the body of its one answer. */
  publish(rest: string, content: unknown): Body {
    const input = this.log.publish(subjects.input(this.id, rest), content);
    const answers = this.#worker.settle().map(bodyOf);
    const [answer] = answers;
    if (answers.length !== 1 || answer?.input_seq !== input.seq) {
      throw new Error(`Expected one answer to input ${input.seq}: got ${JSON.stringify(answers)}`);
    }
    return answer;
  }

  /** Another worker takes over: everything is folded from the log again. */
  restart(): void {
    this.#worker = new MemoryWorker(this.log);
    this.#worker.settle();
  }

  get pod(): Pod {
    const podLog = this.#worker.fold.pods.get(this.id);
    if (!podLog) throw new Error(`The log has nothing of pod ${this.id}`);
    return podLog.pod;
  }

  get store(): TaskStore {
    return this.pod.store;
  }
}

/** The text that a model reads. */
export function textOf(answer: ToolResult): string {
  return answer.result.content[0].text;
}

/** What an answer has for programs. */
export function structuredOf(answer: ToolResult): Body {
  return answer.result.structuredContent;
}
