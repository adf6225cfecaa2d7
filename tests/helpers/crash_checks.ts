/** What must hold of a log, whatever happened to workers and servers while it was written. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { LogMessage } from "../../src/log/log_message.ts";
import { Subjects } from "../../src/log/subjects.ts";
import { Verification } from "../../src/log/verify.ts";
import { type Expected, ModelPod } from "./crash_model.ts";
import type { Json } from "./pod.ts";
import { outputProblems, type Recorded } from "./session_log.ts";

/** Problems that are shown of one kind. */
const shownMax = 5;

/** One answer of the reading lane. */
export interface Read {
  readonly pod: string;
  /** All tasks, as TaskList shows them. */
  readonly tasks: readonly Json[];
}

export interface CheckedLog {
  readonly problems: readonly string[];
  /** Keyed by pod: every task in the end, as TaskList shows it, by the model. */
  readonly lists: ReadonlyMap<string, readonly Json[]>;
}

/**
 * @param log all that was ever in it
 * @param reads answers of the reading lane, in the order in which one reader got them, one after the other
 * @param wasShortened whether the first answer of a repeat may have been gone: then it shows the task as it was (R6)
 */
export function checkLog(
  log: readonly Recorded[],
  reads: readonly Read[] = [],
  wasShortened = false,
): CheckedLog {
  const histories = new Map<string, string[]>();
  const readPods = new Set(reads.map(({ pod }) => pod));
  const { problems, lists } = modelProblems(log, wasShortened, (pod, { list }) => {
    if (!readPods.has(pod)) return;
    const history = histories.get(pod) ?? [];
    history.push(digestOf(list));
    histories.set(pod, history);
  });
  const all = [outputProblems(log), problems, verifyProblems(log), readProblems(reads, histories)];
  return { problems: all.flatMap(firstOf), lists };
}

function firstOf(problems: readonly string[]): readonly string[] {
  const rest = problems.length - shownMax;
  return rest > 0 ? [...problems.slice(0, shownMax), `and ${rest} more like these`] : problems;
}

/** Every answer and every list as the model has them. */
function modelProblems(
  log: readonly Recorded[],
  wasShortened: boolean,
  became: (id: string, pod: ModelPod) => void,
): CheckedLog {
  const answers = new Map<number, Recorded>();
  for (const output of log.filter(({ direction }) => direction === "out")) {
    const inputSeq = Number(output.headers["Tasuki-Input"]);
    if (!answers.has(inputSeq)) answers.set(inputSeq, output);
  }
  const pods = new Map<string, ModelPod>();
  const problems: string[] = [];
  for (const { seq, pod: id, rest, data } of log.filter(({ direction }) => direction === "in")) {
    const pod = pods.get(id) ?? new ModelPod();
    const expected = /^[A-Za-z0-9_-]{1,64}$/.test(id) ? pod.answer(rest, data) : badPod;
    if (expected !== badPod) pods.set(id, pod);
    became(id, pod);
    const answer = answers.get(seq);
    if (!answer || isDeepStrictEqual(saidBy(answer), expected)) continue;
    if (wasShortened && isDeepStrictEqual(repeatOf(saidBy(answer)), repeatOf(expected))) continue;
    problems.push(
      `input ${seq} of ${id} (${rest} ${new TextDecoder().decode(data).slice(0, 300)}) must say ` +
        `${JSON.stringify(expected)}: got ${JSON.stringify(saidBy(answer))} at ${answer.seq}`,
    );
  }
  return { problems, lists: new Map([...pods].map(([id, pod]) => [id, pod.list])) };
}

/** Of a repeat, only that it is one. */
function repeatOf(said: Expected): Expected {
  return said.isDuplicate ? { ...said, code: null, shown: null } : said;
}

/** A read shows a list that the pod had after some input, and never an older one than the read before it. */
function readProblems(
  reads: readonly Read[],
  histories: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const problems: string[] = [];
  const reached = new Map<string, number>();
  for (const { pod, tasks } of reads) {
    const history = histories.get(pod) ?? [];
    const digest = digestOf(tasks);
    const from = reached.get(pod) ?? 0;
    const at = tasks.length === 0 && from === 0 ? 0 : history.indexOf(digest, from);
    if (at >= 0) reached.set(pod, at);
    else if (history.includes(digest)) {
      problems.push(`a read of ${pod} shows a list that an earlier read was beyond`);
    } else problems.push(`a read of ${pod} shows what the log never had: ${JSON.stringify(tasks)}`);
  }
  return problems;
}

function digestOf(list: readonly Json[]): string {
  return createHash("sha1").update(JSON.stringify(list)).digest("base64");
}

const badPod: Expected = { kind: "rejected", isDuplicate: false, code: "bad_pod", shown: null };

/** What an output says, without its wording. */
function saidBy({ rest: kind, data }: Recorded): Expected {
  const body: Json = JSON.parse(new TextDecoder().decode(data));
  const isDuplicate = body.duplicate === true;
  switch (kind) {
    case "result": {
      const { isError, structuredContent } = body.result;
      return {
        kind,
        isDuplicate,
        code: structuredContent.error?.code ?? null,
        shown: isError ? null : structuredContent,
      };
    }
    case "event":
      return { kind, isDuplicate, code: body.error?.code ?? null, shown: shownByEvent(body) };
    case "snapshot":
      return { kind, isDuplicate, code: null, shown: { tasks: body.store.tasks } };
    case "inject":
      return {
        kind,
        isDuplicate,
        code: null,
        shown: { tasks: body.items[2].result.structuredContent.tasks },
      };
    default:
      return { kind, isDuplicate, code: body.reason, shown: null };
  }
}

function shownByEvent({ kind, error, released, applied }: Json): Json {
  if (kind === "agent.exited") return { released };
  return kind === "session.restore" && !error ? { applied } : {};
}

/** The rules of now decide the whole log as it is recorded. */
function verifyProblems(log: readonly Recorded[]): readonly string[] {
  const problems: string[] = [];
  const verification = new Verification(new Subjects("tasks"), ({ pod, inputSeq, text }) => {
    problems.push(`verify: pod ${pod}, input ${inputSeq}: ${text}`);
  });
  for (const message of log) verification.take(asLogMessage(message));
  const { unanswered, kept } = verification.finish();
  if (unanswered > 0) problems.push(`verify: ${unanswered} inputs have no output`);
  if (kept > 0) problems.push(`verify: ${kept} outputs tell of a failure of the worker`);
  return problems;
}

function asLogMessage({ seq, timeMs, subject, data, headers }: Recorded): LogMessage {
  return { seq, timeMs, subject, data, header: (name) => headers[name] ?? null };
}
