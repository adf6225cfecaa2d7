/**
 * The worker's own log: one JSON object per line, in a terminal a short form for people, written to stderr in
 * a way that cannot stop the worker. What is logged, and that it holds no secret, is up to the caller.
 */

/** From the least to the most severe. */
export const logLevels = ["debug", "info", "warn", "error"] as const;

export type LogLevel = typeof logLevels[number];

/**
 * Written in the given order, undefined ones left out. Errors, at any depth, become their name, message and
 * cause, at level `debug` with the stack; what JSON cannot say becomes a text that says so.
 */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly ts?: never;
  readonly level?: never;
  readonly msg?: never;
};

export interface Logger {
  debug(msg: string, fields?: LogFields): void;
  info(msg: string, fields?: LogFields): void;
  warn(msg: string, fields?: LogFields): void;
  error(msg: string, fields?: LogFields): void;
}

/** Takes one line, its line feed included; the answer is false where the line is lost. */
type WriteLine = (line: string) => boolean;

export interface LoggerOptions {
  /** The least severe level that is written. */
  readonly level: LogLevel;
  readonly isTerminal: boolean;
  /** Matters in a terminal only; the default is off where `NO_COLOR` is set. */
  readonly isColored?: boolean;
  readonly write: WriteLine;
  readonly now?: () => Date;
}

/** Lines that `write` loses are counted, and the count is logged as soon as it takes one again. */
export function createLogger(options: LoggerOptions): Logger {
  const { isTerminal, isColored = !Deno.noColor, write, now = () => new Date() } = options;
  const leastSevere = logLevels.indexOf(options.level);
  const hasStacks = options.level === "debug";
  let lostLines = 0;

  const put = (level: LogLevel, msg: string, fields: LogFields): boolean => {
    const entry = { ts: now().toISOString(), level, msg, fields: encodeFields(fields, hasStacks) };
    const line = isTerminal ? terminalLine(entry, isColored) : jsonLine(entry);
    return write(`${line}\n`);
  };
  const log = (level: LogLevel) => (msg: string, fields: LogFields = {}): void => {
    if (logLevels.indexOf(level) < leastSevere) return;
    if (lostLines > 0 && put("warn", "log lines were lost", { count: lostLines })) lostLines = 0;
    const isTaken = lostLines === 0 && put(level, msg, fields);
    if (!isTaken) lostLines++;
  };
  return { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
}

interface Entry {
  readonly ts: string;
  readonly level: LogLevel;
  readonly msg: string;
  /** Each key with its value as JSON. */
  readonly fields: readonly (readonly [key: string, json: string])[];
}

function jsonLine({ ts, level, msg, fields }: Entry): string {
  const head = [["ts", ts], ["level", level], ["msg", msg]].map((
    [key, value],
  ) => [key, JSON.stringify(value)]);
  const members = [...head, ...fields].map(([key, json]) => `${JSON.stringify(key)}:${json}`);
  return escapeControls(`{${members.join(",")}}`);
}

/** The time of day is UTC, as in the JSON form. */
function terminalLine({ ts, level, msg, fields }: Entry, isColored: boolean): string {
  const time = ts.slice(ts.indexOf("T") + 1);
  const label = level.toUpperCase().padEnd(5);
  const pairs = fields.map(([key, json]) => ` ${key}=${unquoted(json)}`);
  return `${time} ${isColored ? colored(level, label) : label} ${escapeControls(msg + pairs.join(""))}`;
}

function colored(level: LogLevel, text: string): string {
  const codes: Record<LogLevel, number> = { debug: 90, info: 32, warn: 33, error: 31 };
  return `\x1b[${codes[level]}m${text}\x1b[0m`;
}

/** A JSON string without its quotes, where nothing in it needs them. */
function unquoted(json: string): string {
  return /^"[^\s"\\=]+"$/.test(json) ? json.slice(1, -1) : json;
}

/** So that no message from outside ends a line early or speaks to the terminal. */
function escapeControls(text: string): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escape);
}

function encodeFields(fields: LogFields, hasStacks: boolean): [key: string, json: string][] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const json = encode(value, hasStacks);
    return json === undefined ? [] : [[key, json]];
  });
}

function encode(value: unknown, hasStacks: boolean): string | undefined {
  try {
    return JSON.stringify(value, (_key, inner: unknown) => {
      if (inner instanceof Error) return describeError(inner, hasStacks);
      return typeof inner === "bigint" ? String(inner) : inner;
    });
  } catch (error) {
    return JSON.stringify(`not to be said in JSON: ${error}`);
  }
}

function describeError(error: Error, hasStack: boolean): string {
  const { name, message, cause, stack = "" } = error;
  const frames = hasStack ? /\n {4}at .*/s.exec(stack)?.[0] ?? "" : "";
  const origin = cause instanceof Error ? `, caused by ${describeError(cause, hasStack)}` : "";
  return `${name}: ${message}${frames}${origin}`;
}

/**
 * Lines to stderr, written before the call returns. A full pipe gets a few milliseconds to drain, then the
 * line is lost, and so are the next ones, without another wait, until the pipe takes something again. What is
 * left of a line that was begun goes out before the next one. A closed pipe is not tried again; any other
 * failure counts as a full one.
 */
export function stderrWriter(
  writeSync: (bytes: Uint8Array) => number = (bytes) => Deno.stderr.writeSync(bytes),
  pause: () => void = pauseOneMillisecond,
): WriteLine {
  const pausesMax = 5;
  let pauses = 0;
  let unwritten = new Uint8Array();
  let isClosed = false;

  const writeSome = (): number => {
    try {
      return writeSync(unwritten);
    } catch (error) {
      isClosed = error instanceof Error && error.name === "BrokenPipe";
      return 0;
    }
  };
  const flush = (): void => {
    while (unwritten.length > 0 && !isClosed) {
      const bytesTaken = writeSome();
      unwritten = unwritten.subarray(bytesTaken);
      if (bytesTaken > 0) pauses = 0;
      else if (isClosed || pauses++ >= pausesMax) return;
      else pause();
    }
  };
  return (line) => {
    flush();
    if (isClosed || unwritten.length > 0) return false;
    const bytes = new TextEncoder().encode(line);
    unwritten = bytes;
    flush();
    const isBegun = unwritten.length < bytes.length;
    if (!isBegun) unwritten = new Uint8Array();
    return isBegun;
  };
}

function pauseOneMillisecond(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}
