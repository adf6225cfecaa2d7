/** What a store can be asked for, after everything that a model may write has been read (`tools/`). */
import type { JsonObject, Status } from "./task.ts";

/** A task as a call names it: by its id, as the n-th of the call's own batch (`$n`), or by words that are no id. */
export type TaskRef =
  | { readonly taskid: number }
  | { readonly sibling: number }
  | { readonly words: string };

export interface NewTask {
  readonly subject: string;
  readonly description: string;
  readonly activeForm: string | null;
  readonly owner: string | null;
  readonly metadata: JsonObject | null;
  readonly blockedBy: readonly TaskRef[];
  readonly addBlocks: readonly TaskRef[];
}

/** Undefined: the call does not touch the field. Null: it clears it. */
export interface TaskEdit {
  readonly status?: Status;
  readonly subject?: string;
  readonly description?: string;
  readonly activeForm?: string | null;
  readonly owner?: string | null;
  /** Merged into what is there; null removes a key. */
  readonly metadata?: JsonObject;
}

export interface EdgeEdit {
  readonly addBlockedBy: readonly TaskRef[];
  readonly addBlocks: readonly TaskRef[];
  readonly removeBlockedBy: readonly TaskRef[];
  readonly removeBlocks: readonly TaskRef[];
}

export type Command =
  | { readonly type: "create"; readonly tasks: readonly NewTask[]; readonly isBatch: boolean }
  | {
    readonly type: "list";
    readonly status: Status | null;
    readonly owner: string | null;
    readonly ready: boolean;
    readonly brief: boolean;
  }
  | { readonly type: "get"; readonly task: TaskRef }
  | {
    readonly type: "update";
    readonly task: TaskRef;
    readonly ifStatus: Status | null;
    readonly edit: TaskEdit;
    readonly edges: EdgeEdit;
  }
  | {
    readonly type: "claim";
    readonly task: TaskRef | null;
    readonly owner: string | null;
    readonly exclusive: boolean;
  }
  | { readonly type: "complete"; readonly task: TaskRef }
  | {
    readonly type: "release";
    readonly task: TaskRef;
    readonly reason: string | null;
    readonly force: boolean;
  }
  | { readonly type: "exit"; readonly agent: string };

/** Who asks, and when by the stream's clock. */
export interface Caller {
  /** A name, not a credential; null where the call names none. */
  readonly agent: string | null;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}
