import { assertEquals } from "@std/assert";
import { createLogger, type Logger, type LoggerOptions, stderrWriter } from "../../src/logger.ts";

const now = () => new Date("2025-03-01T10:20:30.456Z");

/** The lines that `use` logs. */
function linesOf(options: Partial<LoggerOptions>, use: (logger: Logger) => void): string[] {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line) > 0;
  use(createLogger({ level: "info", isTerminal: false, write, now, ...options }));
  return lines;
}

/** An error whose stack is the same everywhere. */
function errorWithStack(message: string, options?: ErrorOptions): Error {
  const error = new RangeError(message, options);
  error.stack = `Error: ${message}\n    at decide (store.ts:1:2)\n    at serve (worker.ts:3:4)`;
  return error;
}

Deno.test("createLogger() writes one JSON object per line, fields in the given order", () => {
  const lines = linesOf({}, (logger) => {
    logger.info("serving", { pod: "p-1", input_seq: 7, session: undefined, tags: [1] });
    logger.warn("slow");
  });
  assertEquals(lines, [
    '{"ts":"2025-03-01T10:20:30.456Z","level":"info","msg":"serving","pod":"p-1","input_seq":7,"tags":[1]}\n',
    '{"ts":"2025-03-01T10:20:30.456Z","level":"warn","msg":"slow"}\n',
  ]);
});

for (const [level, count] of [["debug", 4], ["info", 3], ["warn", 2], ["error", 1]] as const) {
  Deno.test(`createLogger() writes ${count} of the four levels from ${level} on`, () => {
    const lines = linesOf({ level }, (logger) => {
      logger.error("4");
      logger.warn("3");
      logger.info("2");
      logger.debug("1");
    });
    assertEquals(lines.map((line) => JSON.parse(line).msg), ["4", "3", "2", "1"].slice(0, count));
  });
}

Deno.test("createLogger() writes a short form in a terminal", () => {
  const lines = linesOf({ isTerminal: true, isColored: false }, (logger) => {
    logger.info("serving", { pod: "pod-1", input_seq: 7, reason: "no answer", none: "", same: "a=b" });
    logger.error("stopped", { error: new RangeError("too far") });
  });
  assertEquals(lines, [
    '10:20:30.456Z INFO  serving pod=pod-1 input_seq=7 reason="no answer" none="" same="a=b"\n',
    '10:20:30.456Z ERROR stopped error="RangeError: too far"\n',
  ]);
});

Deno.test("createLogger() colors the level in a terminal, and nothing in JSON", () => {
  const use = (logger: Logger) => logger.warn("slow");
  assertEquals(linesOf({ isTerminal: true, isColored: true }, use), [
    "10:20:30.456Z \x1b[33mWARN \x1b[0m slow\n",
  ]);
  assertEquals(linesOf({ isColored: true }, use), linesOf({ isColored: false }, use));
});

Deno.test("createLogger() writes an error as name, message and causes, at any depth", () => {
  const cause = errorWithStack("no answer");
  const error = errorWithStack("cannot publish", { cause });
  const lines = linesOf({}, (logger) => logger.error("stopped", { error, more: [{ error: cause }] }));
  assertEquals(lines.map((line) => JSON.parse(line)), [{
    ts: "2025-03-01T10:20:30.456Z",
    level: "error",
    msg: "stopped",
    error: "RangeError: cannot publish, caused by RangeError: no answer",
    more: [{ error: "RangeError: no answer" }],
  }]);
});

Deno.test("createLogger() adds the stack of an error at level debug", () => {
  const lines = linesOf(
    { level: "debug" },
    (logger) => logger.warn("slow", { error: errorWithStack("two\nlines") }),
  );
  assertEquals(lines.map((line) => JSON.parse(line).error), [
    "RangeError: two\nlines\n    at decide (store.ts:1:2)\n    at serve (worker.ts:3:4)",
  ]);
});

Deno.test("createLogger() keeps a line one line, and away from the terminal's own language", () => {
  const text = "a\nb\r\x1b[2J\x7f\x9b\u2028\u2029é";
  const use = (logger: Logger) => logger.info(text, { text });
  const escaped = "a\\nb\\r\\u001b[2J\\u007f\\u009b\\u2028\\u2029é";
  assertEquals(linesOf({}, use), [
    `{"ts":"2025-03-01T10:20:30.456Z","level":"info","msg":"${escaped}","text":"${escaped}"}\n`,
  ]);
  assertEquals(linesOf({ isTerminal: true, isColored: false }, use), [
    `10:20:30.456Z INFO  a\\u000ab\\u000d\\u001b[2J\\u007f\\u009b\\u2028\\u2029é text="${escaped}"\n`,
  ]);
});

Deno.test("createLogger() writes what JSON cannot say as a text", () => {
  const circular: unknown[] = [];
  circular.push(circular);
  const broken = {
    toJSON: () => {
      throw new RangeError("no form");
    },
  };
  const lines = linesOf({}, (logger) => logger.info("odd", { seq: 12n, circular, broken, missing: () => 1 }));
  const [{ circular: text, ...others }] = lines.map((line) => JSON.parse(line));
  assertEquals(
    text.split("\n")[0],
    "not to be said in JSON: TypeError: Converting circular structure to JSON",
  );
  assertEquals(others, {
    ts: "2025-03-01T10:20:30.456Z",
    level: "info",
    msg: "odd",
    seq: "12",
    broken: "not to be said in JSON: RangeError: no form",
  });
});

Deno.test("createLogger() reports how many lines were lost as soon as one is taken again", () => {
  const lines: string[] = [];
  const answers = [true, false, false, true, true, true];
  const write = (line: string) => {
    const isTaken = answers.shift() ?? false;
    if (isTaken) lines.push(line.trimEnd());
    return isTaken;
  };
  const logger = createLogger({ level: "info", isTerminal: true, isColored: false, write, now });
  for (const msg of ["1", "2", "3", "4", "5"]) logger.info(msg);
  assertEquals(lines, [
    "10:20:30.456Z INFO  1",
    "10:20:30.456Z WARN  log lines were lost count=2",
    "10:20:30.456Z INFO  4",
    "10:20:30.456Z INFO  5",
  ]);
});

/** A stderr that takes so many bytes, or throws, one answer per call; after the last one it takes all. */
function fakeStderr(answers: (number | Error)[]) {
  const seen = { text: "", calls: 0, pauses: 0 };
  const writeSync = (bytes: Uint8Array): number => {
    seen.calls++;
    const answer = answers.shift() ?? bytes.length;
    if (answer instanceof Error) throw answer;
    seen.text += new TextDecoder().decode(bytes.subarray(0, answer));
    return answer;
  };
  return { seen, write: stderrWriter(writeSync, () => seen.pauses++) };
}

const full = new Deno.errors.WouldBlock("full");
const closed = new Deno.errors.BrokenPipe("closed");

Deno.test("stderrWriter() writes on where only a part was taken", () => {
  const { seen, write } = fakeStderr([2, 1]);
  assertEquals([write("line 1\n"), seen], [true, { text: "line 1\n", calls: 3, pauses: 0 }]);
});

Deno.test("stderrWriter() waits for a full pipe to drain", () => {
  const { seen, write } = fakeStderr([full, full]);
  assertEquals([write("line 1\n"), seen], [true, { text: "line 1\n", calls: 3, pauses: 2 }]);
});

Deno.test("stderrWriter() loses lines while the pipe stays full, and waits only once", () => {
  const { seen, write } = fakeStderr(Array(7).fill(full));
  assertEquals([write("line 1\n"), write("line 2\n"), write("line 3\n")], [false, false, true]);
  assertEquals(seen, { text: "line 3\n", calls: 8, pauses: 5 });
});

Deno.test("stderrWriter() ends a line that was begun before it takes the next one", () => {
  const { seen, write } = fakeStderr([4, ...Array(7).fill(full)]);
  assertEquals([write("line 1\n"), write("line 2\n"), write("line 3\n")], [true, false, true]);
  assertEquals(seen, { text: "line 1\nline 3\n", calls: 10, pauses: 5 });
});

Deno.test("stderrWriter() stops writing to a closed pipe", () => {
  const { seen, write } = fakeStderr([7, closed]);
  assertEquals([write("line 1\n"), write("line 2\n"), write("line 3\n")], [true, false, false]);
  assertEquals(seen, { text: "line 1\n", calls: 2, pauses: 0 });
});

Deno.test("stderrWriter() outlives any other failure", () => {
  const { seen, write } = fakeStderr(Array(6).fill(new Error("no space left")));
  assertEquals([write("line 1\n"), write("line 2\n")], [false, true]);
  assertEquals(seen, { text: "line 2\n", calls: 7, pauses: 5 });
});
