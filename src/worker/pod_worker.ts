/**
 * One pod at work: decides its inputs in their order and hands the outputs to the recorder. It gets its messages from
 * the worker's reading of the log, and fetches from the log what it had no room for.
 *
 * Invariants:
 * 1. The store may run ahead of what is recorded; a reply, a read or a checkpoint never does (R13).
 * 2. While the pod is loaded, or held, nothing is decided.
 * 3. What was begun before the pod was loaded anew has no effect after it (`#currentLife`).
 */
import { decideRead, type Outcome, type Repeat } from "../log/decide_input.ts";
import { placeOf, rejection } from "../log/decide_logged.ts";
import { headerNames, type LogMessage } from "../log/log_message.ts";
import type { Mark } from "../log/memory.ts";
import { Pod } from "../log/pod.ts";
import { PodLog, type WaitingInput } from "../log/pod_log.ts";
import { RejectedInput } from "../log/rejected_input.ts";
import type { PodState } from "../log/saved_pod.ts";
import { noPod, type ParsedSubject, type Subjects } from "../log/subjects.ts";
import { jsonBytes } from "../log/utf8.ts";
import type { Logger } from "../logger.ts";
import type { CallToolResult } from "../tools/answer.ts";
import { answeredOf, answerInput, fault, outputMessage } from "./answering.ts";
import { podChunkMax, podQueueBytesMax, podQueueMax } from "./limits.ts";
import { notServedMessage, notServedResult } from "./not_served.ts";
import type { Answered, Observer, Tracer } from "./observer.ts";
import type { Log, UnrecordableError } from "./ports.ts";
import { readChunk, readToEnd } from "./read_to_end.ts";
import { Lane, type Recorder } from "./recorder.ts";
import { isReplySubject, type ReplyRule } from "./reply.ts";
import { untilDone } from "./until_done.ts";

/** What the checkpoint has of a pod. */
export interface SavedPod {
  /** A new pod where it has none. */
  readonly pod: Pod;
  /** Of the bucket's key. */
  readonly revision: number;
  /**
   * Where the pod is to be had from: the checkpoint has all of it up to the covered position; or only its own log
   * from the beginning has it; or that does not reach back any more.
   */
  readonly source: "checkpoint" | "log" | "lost";
}

interface Loaded {
  readonly log: PodLog;
  /** What the checkpoint has of it. */
  readonly saved: { readonly inputSeq: number; readonly revision: number };
}

export interface PodSurroundings {
  readonly log: Log;
  readonly logger: Logger;
  readonly subjects: Subjects;
  readonly recorder: Recorder;
  readonly replyRule: ReplyRule;
  readonly observer: Observer;
  readonly tracer: Tracer;
  readonly load: (pod: string) => Promise<SavedPod>;
  /** Whether this worker may decide at this moment. */
  readonly mayDecide: () => boolean;
  /** Whether it is the pod's turn to decide its next input; if not, it is advanced when it is. */
  readonly isTurnOf: (pod: PodWorker) => boolean;
  /** Told of a pod whose recorded state is another one now, or that is not served any more. */
  readonly changed: (pod: string) => void;
  /** Takes an error that nobody here can mend. */
  readonly fatal: (error: unknown) => void;
}

interface Queued {
  readonly message: LogMessage;
  readonly parsed: ParsedSubject;
}

export class PodWorker {
  readonly id: string;
  readonly #world: PodSurroundings;
  readonly #lane: Lane;
  #log: PodLog;
  /** Ends it; null until somebody asks for that: most pods never fetch anything. */
  #lifeEnd: AbortController | null = null;
  /** Messages that came while the pod is loaded. */
  readonly #queue: Queued[] = [];
  #queueBytes = 0;
  #isLoading = false;
  #isClosed = false;
  /** Whether the log lines have it that the pod is not served. */
  #isSaidUnserved = false;
  /** Whether something is awaited before which nothing is decided: what is fetched, or a rejection on its way. */
  #isHeld = false;
  /** While loading: the first input that the saved state may not include. */
  #loadingFromSeq = 0;
  #afterLoading: (() => void)[] = [];
  /** The pod as the log has it: at its last recorded input. */
  #recorded: PodState;
  #saved: { readonly inputSeq: number; readonly revision: number | null };

  constructor(world: PodSurroundings, id: string) {
    this.id = id;
    this.#world = world;
    this.#log = new PodLog(new Pod(id));
    this.#recorded = stateOf(this.#log.pod);
    this.#saved = { inputSeq: 0, revision: null };
    this.#lane = new Lane(id, (reason) => this.rebuild(reason));
  }

  /** Begins with what the checkpoint has; the pod's messages from `firstSeq` on come by `take`. */
  loadFrom(firstSeq: number): void {
    this.#load(firstSeq, () => this.#fromCheckpoint());
  }

  take(message: LogMessage, parsed: ParsedSubject): void {
    if (this.#isLoading) {
      this.#loadingFromSeq = Math.min(this.#loadingFromSeq, message.seq);
      this.#queue.push({ message, parsed });
      this.#queueBytes += message.data.length;
      return;
    }
    this.#log.take(message, parsed);
    this.advance();
  }

  /** Resolves when the pod can take messages without queueing them, where its queue is full; null where it has room. */
  get whenRoom(): Promise<void> | null {
    const hasRoom = this.#queue.length < podQueueMax && this.#queueBytes < podQueueBytesMax;
    if (!this.#isLoading || hasRoom) return null;
    return new Promise((resolve) => this.#afterLoading.push(resolve));
  }

  /** Decides what waits, as far as this worker may and has room. */
  advance(): void {
    if (this.#log.notServed !== null) this.#leaveUnserved(this.#log.notServed);
    while (!this.#isLoading && !this.#isHeld) {
      this.#log.applyAnswered();
      if (this.#lane.firstInputSeq === undefined) this.#becomeAsFolded();
      const head = this.#log.head;
      if (!head || !this.#world.mayDecide() || this.#lane.isFull) return;
      if (!this.#world.isTurnOf(this)) return;
      if (head.isBare) return this.#fetchWaiting(head);
      const answer = answerInput(this.#log.pod, head, (error) => this.#reportFault(head, error));
      if ("isRepeat" in answer) this.#answerRepeat(head, answer);
      else this.#settle(head, answer);
    }
  }

  /** Answers from memory once what it shows is recorded (SPEC §2). */
  read(tool: string, args: unknown, answer: (result: CallToolResult) => void): void {
    if (this.#isLoading) this.#afterLoading.push(() => this.read(tool, args, answer));
    else if (this.#log.notServed !== null) answer(notServedResult(this.#log.notServed));
    else {
      const { store } = this.#log.pod;
      const life = this.#currentLife();
      this.#lane.whenRecorded(() => {
        if (!life.aborted) answer(decideRead(store, tool, args));
        else this.read(tool, args, answer);
      });
    }
  }

  /** Drops what was believed: the checkpoint and the pod's own log say what is true. */
  rebuild(reason: string): void {
    const { recorder, logger } = this.#world;
    if (this.#isClosed) return;
    logger.warn("pod is built again from the log", { pod: this.id, reason });
    const firstSeq = this.#isLoading ? this.#loadingFromSeq : this.#firstUnsavedSeq;
    // Before others get the room that this makes: nothing more is decided here.
    this.#isLoading = true;
    this.#afterLoading.push(...this.#lane.abandon());
    recorder.abandon(this.#lane);
    this.#load(firstSeq, async () => await this.#fromLog(await this.#world.load(this.id)));
  }

  /** The first input that neither the saved pod nor `unsaved` includes, where nothing of it can be saved now. */
  get #firstUnsavedSeq(): number {
    return Math.min(this.#recorded.inputSeq, this.#saved.inputSeq) + 1;
  }

  /** Nothing that is under way has an effect any more. */
  close(): void {
    this.#endLife();
    this.#isLoading = true;
    this.#isClosed = true;
  }

  /** What lasts until the pod is loaded anew, or closed, and is aborted then. */
  #currentLife(): AbortSignal {
    this.#lifeEnd ??= new AbortController();
    return this.#lifeEnd.signal;
  }

  #endLife(): void {
    this.#lifeEnd?.abort();
    this.#lifeEnd = null;
  }

  #become(recorded: PodState): void {
    const isAnother = recorded.inputSeq !== this.#recorded.inputSeq;
    this.#recorded = recorded;
    if (isAnother) this.#world.changed(this.id);
  }

  /** Nothing is in flight: the log has all of the pod. */
  #becomeAsFolded(): void {
    const { pod } = this.#log;
    if (pod.inputSeq !== this.#recorded.inputSeq) this.#become(stateOf(pod));
  }

  /** The pod as the log has it; null before it was first loaded. */
  get recorded(): PodState | null {
    return this.#isLoading && this.#recorded.inputSeq === 0 ? null : this.#recorded;
  }

  /** Why this version cannot serve the pod; null where it can (R15). */
  get notServed(): string | null {
    return this.#log.notServed;
  }

  // What a checkpoint needs.

  /** The first input that a save of now would not include; null where there is none. */
  get firstOpenSeq(): number | null {
    if (this.#isLoading) return this.#loadingFromSeq;
    const open = [
      this.#lane.firstInputSeq,
      this.#log.head?.message.seq,
      this.#log.notServed === null ? undefined : this.#log.pod.inputSeq + 1,
      this.#canTellRecorded ? undefined : this.#firstUnsavedSeq,
    ].filter((seq) => seq !== undefined);
    return open.length === 0 ? null : Math.min(...open);
  }

  /** Whether the pod, which may have run ahead, still knows what it remembered at its last recorded input. */
  get #canTellRecorded(): boolean {
    return this.#log.pod.recalls(this.#recorded.inputSeq);
  }

  /** The pod as the log has it, where the checkpoint has less; null where there is nothing to save. */
  get unsaved(): { readonly pod: Pod; readonly state: PodState } | null {
    if (this.#isLoading || this.#recorded.inputSeq <= this.#saved.inputSeq) return null;
    return this.#canTellRecorded ? { pod: this.#log.pod, state: this.#recorded } : null;
  }

  /** The last input that the saved pod includes, as far as we know. */
  get savedInputSeq(): number {
    return this.#saved.inputSeq;
  }

  /** Of the bucket's key; null where it is not known. */
  get savedRevision(): number | null {
    return this.#saved.revision;
  }

  savedAt(inputSeq: number, revision: number): void {
    this.#saved = { inputSeq, revision };
  }

  /** Somebody else may have written the key, or we have without knowing it: it must be read before it is written. */
  forgetSaved(): void {
    this.#saved = { inputSeq: 0, revision: null };
  }

  /** Whether the pod may be dropped from memory as soon as the checkpoint has all of it. */
  get isIdle(): boolean {
    return this.firstOpenSeq === null && !this.#isHeld && this.#afterLoading.length === 0;
  }

  // How an input is answered.

  /** Applies an outcome and sends its output on the way. */
  #settle(head: WaitingInput, decided: Outcome): void {
    const { subjects, recorder } = this.#world;
    const { pod } = this.#log;
    const { outcome, message } = outputMessage(subjects, pod.id, head, decided);
    let marks: ReturnType<typeof pod.apply>;
    try {
      marks = pod.apply(outcome.effect, placeOf(head), null, outcome.after);
    } catch (error) {
      return this.#settle(head, fault(head, error, (reported) => this.#reportFault(head, reported)));
    }
    this.#log.removeHead(head);
    const state = stateOf(pod);
    const what = answeredOf(head, outcome);
    const span = this.#world.tracer.begin(pod.id, head.message, what);
    recorder.record({
      lane: this.#lane,
      inputSeq: head.message.seq,
      message: span ? { ...message, headers: new Map([...message.headers, ...span.headers]) } : message,
      recorded: (outputSeq) => {
        for (const mark of marks) mark.outputSeq = outputSeq;
        pod.recordedAt(outputSeq, head.message.seq);
        this.#become(state);
        span?.end(outputSeq);
        this.#tellAnswered(head, what);
        this.#reply(head.message.seq, head.message.header(headerNames.reply), message.data);
        this.advance();
      },
      refused: (error) => this.#replaceUnrecordable(head, error),
    });
  }

  /** The server will never take the answer: a rejection is recorded in its place, and the pod built again by it. */
  #replaceUnrecordable(head: WaitingInput, error: UnrecordableError): void {
    const { subjects, recorder } = this.#world;
    this.#isHeld = true;
    this.#reportFault(head, error);
    const outcome = rejection(
      head,
      new RejectedInput("too_large", `the answer was not taken: ${error.message}`),
    );
    recorder.replace(this.#lane, head.message.seq, {
      message: outputMessage(subjects, this.id, head, outcome).message,
      recorded: () => {
        this.#tellAnswered(head, answeredOf(head, outcome));
        this.rebuild("an answer could not be recorded");
      },
      refused: this.#world.fatal,
    });
  }

  #tellAnswered({ message: { timeMs, receivedMs } }: WaitingInput, what: Answered): void {
    const nowMs = performance.now();
    const sinceStreamMs = Math.max(0, Date.now() - timeMs);
    this.#world.observer.answered(what, sinceStreamMs, nowMs - (receivedMs ?? nowMs));
  }

  #reportFault({ message }: WaitingInput, error: unknown): void {
    this.#world.logger.error("fault while answering an input", {
      pod: this.id,
      input_seq: message.seq,
      error,
    });
  }

  #reply(inputSeq: number, subject: string | null, data: Uint8Array): void {
    if (subject === null) return;
    const { log, logger, replyRule } = this.#world;
    if (isReplySubject(subject, this.id, replyRule)) log.tell(subject, data);
    else logger.debug("no reply: the subject is not allowed", { pod: this.id, input_seq: inputSeq });
  }

  /** Only the leader speaks to callers; what came before it led is told then. */
  #leaveUnserved(reason: string): void {
    if (!this.#isSaidUnserved) {
      this.#isSaidUnserved = true;
      this.#world.logger.error("a pod is not served", { pod: this.id, reason });
      this.#world.changed(this.id);
    }
    if (this.#isLoading || !this.#world.mayDecide()) return;
    for (const { inputSeq, reply } of this.#log.takeUnserved()) {
      this.#reply(inputSeq, reply, jsonBytes(notServedMessage(inputSeq, reason)));
    }
  }

  /** Fetches the first answer, then gives it again. */
  #answerRepeat(head: WaitingInput, { first, answer }: Repeat): void {
    if (first === null) return this.#settle(head, answer(null));
    const life = this.#currentLife();
    this.#isHeld = true;
    this.#firstAnswer(first, life).then((body) => {
      if (life.aborted) return;
      this.#isHeld = false;
      // It may have been answered by another meanwhile.
      if (this.#world.mayDecide() && this.#log.head === head) this.#settle(head, answer(body));
      this.advance();
    }).catch(this.#world.fatal);
  }

  /** Null where the log no longer has it. */
  async #firstAnswer(
    mark: Mark,
    life: AbortSignal,
  ): Promise<{ readonly [name: string]: unknown } | null> {
    await new Promise<void>((resolve) => this.#lane.whenRecorded(resolve));
    const { outputSeq } = mark;
    if (outputSeq === null) return null;
    const message = await untilDone(() => this.#world.log.get(outputSeq), life);
    if (!message || message.header(headerNames.input) !== String(mark.inputSeq)) return null;
    const body: unknown = JSON.parse(new TextDecoder().decode(message.data));
    return typeof body === "object" && body !== null ? { ...body } : null;
  }

  // What it fetches from the log.

  /** @param firstSeq the first input that the saved state may not include */
  #load(firstSeq: number, source: () => Promise<Loaded>): void {
    this.#endLife();
    const life = this.#currentLife();
    this.#isLoading = true;
    this.#isHeld = false;
    this.#loadingFromSeq = firstSeq;
    untilDone(source, life).then((loaded) => {
      if (loaded === null || life.aborted) return;
      this.#log = loaded.log;
      // It may have been saved since it was read.
      if (loaded.saved.revision >= (this.#saved.revision ?? 0)) this.#saved = loaded.saved;
      this.#become(stateOf(loaded.log.pod));
      this.#isLoading = false;
      this.#queueBytes = 0;
      for (const { message, parsed } of this.#queue.splice(0)) this.take(message, parsed);
      this.advance();
      for (const then of this.#afterLoading.splice(0)) then();
    }).catch(this.#world.fatal);
  }

  /** The saved pod, without its log since. */
  async #fromCheckpoint(): Promise<Loaded> {
    const found = await this.#world.load(this.id);
    const { pod, revision, source } = found;
    if (source !== "checkpoint") return await this.#fromLog(found);
    return { log: new PodLog(pod), saved: { inputSeq: pod.inputSeq, revision } };
  }

  /** The saved pod with all of its log since. */
  async #fromLog({ pod, revision, source }: SavedPod): Promise<Loaded> {
    const { log, subjects } = this.#world;
    const saved = { inputSeq: pod.inputSeq, revision };
    const podLog = new PodLog(pod);
    if (source === "lost") {
      podLog.stopServing("its saved state is broken and the log does not reach back to its start");
    }
    const only = this.id === noPod ? "everything" : { pod: this.id };
    await readToEnd(log, subjects, { afterSeq: pod.inputSeq, only }, (message) => {
      const parsed = subjects.parse(message.subject);
      if (parsed?.pod === this.id) podLog.take(message, parsed);
    });
    return { log: podLog, saved };
  }

  /** Fetches the bytes of inputs that wait without them, from the head on. */
  #fetchWaiting(head: WaitingInput): void {
    const { log, subjects, fatal } = this.#world;
    const life = this.#currentLife();
    this.#isHeld = true;
    const only = this.id === noPod ? "inputs" : { inputsOf: this.id };
    const options = { afterSeq: head.message.seq - 1, only } as const;
    untilDone(() => readChunk(log, options, podChunkMax), life).then(
      (messages) => {
        if (messages === null || life.aborted) return;
        this.#isHeld = false;
        this.#log.fill(messages.filter(({ subject }) => subjects.parse(subject)?.pod === this.id));
        if (this.#log.head === head && head.isBare) this.#log.removeHead(head);
        this.advance();
      },
    ).catch(fatal);
  }
}

function stateOf({ store, inputSeq, changedMs }: Pod): PodState {
  return { store, inputSeq, changedMs };
}
