/**
 * One pod at work: decides its inputs in their order, hands the outputs to the recorder, and is built again from the
 * log where it cannot be sure of itself.
 *
 * Invariants:
 * 1. The store may run ahead of what is recorded; a reply or an answer on the reading lane never does (R13).
 * 2. While the pod waits for something (a first answer, its own log), its inputs queue and nothing is decided.
 * 3. What was begun before the pod was built again has no effect after it (`#life`).
 */
import { decideRead, type Outcome, type Repeat } from "../log/decide_input.ts";
import { headerNames, type LogMessage } from "../log/log_message.ts";
import type { Mark } from "../log/memory.ts";
import type { PodLog, WaitingInput } from "../log/pod_log.ts";
import { RejectedInput } from "../log/rejected_input.ts";
import type { ParsedSubject, Subjects } from "../log/subjects.ts";
import type { Logger } from "../logger.ts";
import type { CallToolResult } from "../tools/answer.ts";
import { answerInput, fault, outputMessage, placeOf, rejection } from "./answering.ts";
import { notServedMessage, notServedResult } from "./not_served.ts";
import type { Log, UnrecordableError } from "./ports.ts";
import { Lane, type Recorder } from "./recorder.ts";
import { isReplySubject, type ReplyRule } from "./reply.ts";
import { untilDone } from "./until_done.ts";

export interface PodSurroundings {
  readonly log: Log;
  readonly logger: Logger;
  readonly subjects: Subjects;
  readonly recorder: Recorder;
  readonly replyRule: ReplyRule;
  /** Reads the pod's own part of the log, to its end. */
  readonly readPod: (pod: string) => Promise<PodLog>;
  /** Takes an error that nobody here can mend. */
  readonly fatal: (error: unknown) => void;
}

export class PodWorker {
  readonly #world: PodSurroundings;
  readonly #lane: Lane;
  #log: PodLog;
  #life = 0;
  #isDeciding = false;
  /** Whether a first answer is being fetched. */
  #isFetching = false;
  /** Messages that came while the pod is being built again; null while it is not. */
  #later: { readonly message: LogMessage; readonly parsed: ParsedSubject }[] | null = null;
  /** What waits for the pod to be built again. */
  #afterRebuild: (() => void)[] = [];

  constructor(world: PodSurroundings, log: PodLog) {
    this.#world = world;
    this.#log = log;
    this.#lane = new Lane(log.pod.id, (reason) => this.#rebuild(reason));
  }

  /** From now on inputs without an output are decided; before, the end of the log is not known (R13). */
  startDeciding(): void {
    this.#isDeciding = true;
    this.#advance();
  }

  take(message: LogMessage, parsed: ParsedSubject): void {
    if (this.#later) {
      this.#later.push({ message, parsed });
      return;
    }
    this.#log.take(message, parsed);
    if (!this.#isDeciding) return;
    if (this.#log.notServed !== null) this.#sayNotServed(message, this.#log.notServed);
    else this.#advance();
  }

  /** Answers from memory once what it shows is recorded (SPEC §2). */
  read(tool: string, args: unknown, answer: (result: CallToolResult) => void): void {
    if (this.#later) {
      this.#afterRebuild.push(() => this.read(tool, args, answer));
    } else if (this.#log.notServed !== null) {
      answer(notServedResult(this.#log.notServed));
    } else {
      const { store } = this.#log.pod;
      const life = this.#life;
      this.#lane.whenRecorded(() => {
        if (life === this.#life) answer(decideRead(store, tool, args));
        else this.read(tool, args, answer);
      });
    }
  }

  /** Nothing that is under way has an effect any more. */
  close(): void {
    this.#life++;
    this.#isDeciding = false;
  }

  #advance(): void {
    while (this.#isDeciding && !this.#isFetching && this.#later === null) {
      this.#log.applyAnswered();
      const head = this.#log.head;
      if (!head) return;
      const answer = answerInput(this.#log.pod, head, (error) => this.#reportFault(head, error));
      if ("isRepeat" in answer) this.#answerRepeat(head, answer);
      else this.#settle(head, answer);
    }
  }

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
    recorder.record({
      lane: this.#lane,
      inputSeq: head.message.seq,
      message,
      recorded: (outputSeq) => {
        for (const mark of marks) mark.outputSeq = outputSeq;
        this.#reply(head.message, message.data);
      },
      refused: (error) => this.#replaceUnrecordable(head, error),
    });
  }

  /** The server will never take the answer: a rejection is recorded in its place, and the pod built again by it. */
  #replaceUnrecordable(head: WaitingInput, error: UnrecordableError): void {
    const { subjects, recorder } = this.#world;
    this.#reportFault(head, error);
    const outcome = rejection(
      head,
      new RejectedInput("too_large", `the answer was not taken: ${error.message}`),
    );
    recorder.record({
      lane: this.#lane,
      inputSeq: head.message.seq,
      message: outputMessage(subjects, this.#log.pod.id, head, outcome).message,
      recorded: () => this.#rebuild("an answer could not be recorded"),
      refused: this.#world.fatal,
    });
  }

  #reportFault({ message }: WaitingInput, error: unknown): void {
    this.#world.logger.error("fault while answering an input", {
      pod: this.#log.pod.id,
      input_seq: message.seq,
      error,
    });
  }

  #reply(input: LogMessage, data: Uint8Array): void {
    const subject = input.header(headerNames.reply);
    if (subject === null) return;
    const { log, logger, replyRule } = this.#world;
    if (isReplySubject(subject, this.#log.pod.id, replyRule)) log.tell(subject, data);
    else {logger.debug("no reply: the subject is not allowed", {
        pod: this.#log.pod.id,
        input_seq: input.seq,
      });}
  }

  #sayNotServed(input: LogMessage, reason: string): void {
    this.#reply(input, new TextEncoder().encode(JSON.stringify(notServedMessage(input.seq, reason))));
  }

  /** Fetches the first answer, then gives it again. */
  #answerRepeat(head: WaitingInput, { first, answer }: Repeat): void {
    const life = this.#life;
    this.#isFetching = true;
    const goOn = (body: { readonly [name: string]: unknown } | null): void => {
      if (life !== this.#life) return;
      this.#isFetching = false;
      this.#settle(head, answer(body));
    };
    if (first === null) goOn(null);
    else {
      this.#firstAnswer(first, () => life === this.#life).then((body) => {
        goOn(body);
        this.#advance();
      }).catch(this.#world.fatal);
    }
  }

  /** Null where the log no longer has it. */
  async #firstAnswer(
    mark: Mark,
    isWanted: () => boolean,
  ): Promise<{ readonly [name: string]: unknown } | null> {
    await new Promise<void>((resolve) => this.#lane.whenRecorded(resolve));
    const { outputSeq } = mark;
    if (outputSeq === null) return null;
    const message = await untilDone(() => this.#world.log.get(outputSeq), isWanted);
    if (!message || message.header(headerNames.input) !== String(mark.inputSeq)) return null;
    const body: unknown = JSON.parse(new TextDecoder().decode(message.data));
    return typeof body === "object" && body !== null ? { ...body } : null;
  }

  /** Drops what was believed and reads the pod's log again. */
  #rebuild(reason: string): void {
    const { recorder, logger, readPod, fatal } = this.#world;
    if (this.#later) return;
    const life = ++this.#life;
    this.#later = [];
    this.#isFetching = false;
    logger.warn("pod is built again from the log", { pod: this.#log.pod.id, reason });
    recorder.abandon(this.#lane);
    this.#afterRebuild.push(...this.#lane.abandon());
    untilDone(() => readPod(this.#log.pod.id), () => life === this.#life).then((log) => {
      if (log === null || life !== this.#life) return;
      this.#log = log;
      const later = this.#later ?? [];
      this.#later = null;
      for (const { message, parsed } of later) this.take(message, parsed);
      for (const then of this.#afterRebuild.splice(0)) then();
      this.#advance();
    }).catch(fatal);
  }
}
