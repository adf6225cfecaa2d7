/**
 * Every limit of rules number {@link rules} (SPEC R12), with its unit in its name. They are checked in `decide`
 * and by the readers in front of it, so that a log decides to the same stores wherever it is replayed.
 */

/** The number of the rules that outputs are decided by; a change to any rule or limit raises it. */
export const rules = 1;

export const subjectCharsMax = 500;
export const descriptionBytesMax = 16 * 1024;
export const activeFormCharsMax = 500;
export const metadataBytesMax = 4 * 1024;
export const blockersMax = 64;
export const batchTasksMax = 100;

export const storeTasksMax = 2_000;
/** A message that every server and stream must take (R1). */
export const messageBytesMax = 1024 * 1024;
/** What all tasks of one store may cost on the wire, so that every answer fits one message of 1 MiB. */
export const storeCostBytesMax = 900 * 1024;

/** The highest taskid that may come from outside, in an argument or a history: leaves room for every create after it. */
export const taskidMax = 999_999_999_999_999;

/** Repeats are recognised among this many of a store's last writing calls (R6). */
export const callsRememberedMax = 1_024;
/** … and among this many of a pod's last inputs of each other kind (R6). */
export const eventsRememberedMax = 256;

/** What the calls that a restore remembers may take in its event, beside all tasks of a full store. */
export const restoredCallsBytesMax = 400 * 1024;

/** An owner as long as an agent name may be: what a task is charged for, whoever owns it. */
export const agentCharsMax = 64;
/** Session names and reasons. */
export const noteCharsMax = 128;
/** Levels of brackets in a call's arguments. */
export const nestingMax = 64;
/** What a refusal shows of what came. */
export const quoteCharsMax = 200;
/** Warnings of one kind in an answer before they become a count. */
export const warningsMax = 10;
