import { assertEquals, assertRejects } from "@std/assert";
import { reportFailure } from "../../../src/cli/failure.ts";
import { unlessAborted } from "../../../src/cli/unless_aborted.ts";
import { Fault, OperatorError, TransientError, UsageError } from "../../../src/errors.ts";
import { UnrecordableError } from "../../../src/worker/ports.ts";
import { LogLines } from "../../helpers/log_lines.ts";

function reported(error: unknown, stop = new AbortController().signal) {
  let said = "";
  const logger = new LogLines();
  const code = reportFailure(error, { stop, write: (text) => said += text, logger });
  return { code, said, logged: logger.all.map(({ level, msg }) => `${level} ${msg}`) };
}

Deno.test("reportFailure() says what a person can mend in a line, and logs a fault", () => {
  assertEquals(reported(new UsageError("wrong")), { code: 2, said: "wrong\n", logged: [] });
  for (
    const error of [
      new OperatorError("no\x1b"),
      new TransientError("no\x1b"),
      new UnrecordableError("no\x1b"),
    ]
  ) {
    assertEquals(reported(error), { code: 1, said: "no\\u001b\n", logged: [] });
  }
  for (const error of [new Fault("bug"), new TypeError("bug"), "text", undefined]) {
    assertEquals(reported(error), { code: 1, said: "", logged: ["error ended by a fault"] });
  }
});

Deno.test("reportFailure() takes a closed pipe and a stop for no failure", () => {
  assertEquals(reported(new Deno.errors.BrokenPipe()), { code: 0, said: "", logged: [] });
  const stop = AbortSignal.abort();
  assertEquals(reported(stop.reason, stop), { code: 0, said: "", logged: [] });
});

Deno.test("unlessAborted() gives what the promise gives, or up", async () => {
  const stopping = new AbortController();
  assertEquals(await unlessAborted(stopping.signal, Promise.resolve(7)), 7);
  await assertRejects(() => unlessAborted(stopping.signal, Promise.reject(new Fault("x"))), Fault);
  const waiting = unlessAborted(stopping.signal, new Promise(() => {}));
  stopping.abort();
  assertEquals(await waiting.catch((error) => error), stopping.signal.reason);
  assertEquals(
    await unlessAborted(stopping.signal, new Promise(() => {})).catch((error) => error),
    stopping.signal.reason,
  );
});
