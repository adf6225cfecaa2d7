/**
 * The errors of Tasuki, named by what happens next (a refusal is not among them: it is a value, see
 * `tasks/refusal.ts`). What is thrown and is none of these counts as a {@link Fault}.
 */

/** The world is not ready: try again with back-off; whatever was asked stays as it was. */
export class TransientError extends Error {
  override readonly name = "TransientError";
}

/**
 * The command cannot go on until a person has changed something (configuration, permissions, a stream that
 * cannot serve). `main.ts` prints the message in one line and exits 1.
 */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}

/** The command line or the configuration is wrong. `main.ts` prints the message and exits 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Our own bug, or a corrupt log: what it touches is set aside and reported, everyone else goes on. */
export class Fault extends Error {
  override readonly name = "Fault";
}
