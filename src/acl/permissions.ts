/**
 * What each role may publish and subscribe to (SPEC §10): explicit lists. `allow_responses` is in none of them, since
 * it lets whoever asks choose where the asked one publishes.
 */
import type { Subjects } from "../log/subjects.ts";
import { streamApi } from "./stream_api.ts";

/** Subjects, perhaps with wildcards; what is not in a list is denied. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

export interface Names {
  readonly subjects: Subjects;
  /** The stream that holds the log. */
  readonly stream: string;
  /** The bucket that holds the checkpoint. */
  readonly bucket: string;
  /** `*` for all pods. */
  readonly pod: string;
  /** What the client is given as inbox prefix. */
  readonly inbox: string;
  /** Whether the worker throws away old messages. */
  readonly isShortened: boolean;
  /** Whether the worker makes stream and bucket where they are missing. */
  readonly isMaker: boolean;
}

/** An agent runtime, alone with its list: it ends its session and knows when its agents exit. */
export function podPermissions({ subjects, pod, inbox }: Names): Permissions {
  const inputs = ["call.*", "compact.*", "session.*", "agent.exited"];
  return {
    publish: [...inputs.map((rest) => subjects.input(pod, rest)), subjects.reads(pod)],
    subscribe: [subjects.outputsOf(pod), `${inbox}.>`],
  };
}

/** One of several agents on a shared board: it neither ends the board nor declares others dead. */
export function agentPermissions({ subjects, pod, inbox }: Names): Permissions {
  const inputs = ["call.*", "compact.*"];
  return {
    publish: [...inputs.map((rest) => subjects.input(pod, rest)), subjects.reads(pod)],
    subscribe: [subjects.outputsOf(pod), `${inbox}.>`],
  };
}

/** Who starts agents, and says when they are gone. */
export function harnessPermissions({ subjects, pod, inbox }: Names): Permissions {
  return {
    publish: [subjects.input(pod, "agent.exited")],
    subscribe: [subjects.output(pod, "event"), `${inbox}.>`],
  };
}

/** Who writes the summary of a compaction: it reads, and changes nothing. */
export function compactWorkerPermissions({ subjects, pod, inbox }: Names): Permissions {
  return { publish: [subjects.reads(pod)], subscribe: [`${inbox}.>`] };
}

/** Who shows lists, and follows what is answered. */
export function dashboardPermissions({ subjects, pod, inbox }: Names): Permissions {
  return { publish: [subjects.reads(pod)], subscribe: [subjects.outputsOf(pod), `${inbox}.>`] };
}

/** `serve`, where stream and bucket exist: everything that `src/nats` uses, and nothing else. */
export function workerPermissions(names: Names): Permissions {
  const { subjects, bucket, inbox, isShortened, isMaker } = names;
  const log = streamApi(names.stream);
  const checkpoint = streamApi(`KV_${bucket}`);
  return {
    publish: [
      subjects.outputsOf("*"),
      ...answered,
      log.info,
      log.message,
      ...log.reading,
      ...(isShortened ? [log.purge] : []),
      checkpoint.info,
      checkpoint.message,
      `$KV.${bucket}.>`,
      ...(isMaker ? [log.create, checkpoint.create] : []),
    ],
    subscribe: [subjects.allReads, `${inbox}.>`],
  };
}

/** Copies of answers, and answers on the reading lane: of this account and of others. */
const answered = ["_INBOX.>", "_R_.>"];

/** All other commands, and care of stream and bucket. It writes neither outputs nor checkpoints. */
export function administratorPermissions({ subjects, stream, bucket, inbox }: Names): Permissions {
  const streams = [stream, `KV_${bucket}`].map(streamApi);
  return {
    publish: [
      subjects.allInputs,
      subjects.allReads,
      "$JS.API.INFO",
      "$JS.API.STREAM.NAMES",
      "$JS.API.STREAM.LIST",
      ...streams.flatMap(({ info, message, reading, purge, create, care }) => [
        info,
        message,
        ...reading,
        purge,
        create,
        ...care,
      ]),
    ],
    subscribe: [subjects.outputsOf("*"), `${inbox}.>`, "_INBOX.>"],
  };
}
