import { assertEquals, assertThrows } from "@std/assert";
import { type Invocation, readArgv } from "../../../src/cli/argv.ts";
import { commands } from "../../../src/cli/commands.ts";
import { UsageError } from "../../../src/errors.ts";

function read(line: string): Invocation {
  return readArgv(line.split(" ").filter((word) => word !== ""), commands);
}

function readRun(line: string): Invocation & { readonly wants: "run" } {
  const asked = read(line);
  if (asked.wants !== "run") throw new Error(`Expected a command to run: got ${asked.wants}`);
  return asked;
}

Deno.test("readArgv() takes the first word that is no flag's as the command", () => {
  assertEquals(readRun("").command.name, "serve");
  assertEquals(readRun("--data x").command.name, "serve");
  assertEquals(readRun("--nats-url x pods --json").command.name, "pods");
  assertEquals(readRun("--agent bob call p TaskList").command.name, "call");
});

Deno.test("readArgv() gives arguments by their place and options by their name", () => {
  const { given, flags } = readRun("call p --agent bob TaskList --json --data x");
  assertEquals([0, 1, 2].map((place) => given.argument(place)), ["p", "TaskList", null]);
  assertEquals(given.text("agent"), "bob");
  assertEquals(given.text("session"), null);
  assertEquals([given.isSet("json"), given.isSet("agent")], [true, false]);
  assertEquals(flags.data, "x");
});

Deno.test("readArgv() takes - and what stands behind -- as arguments", () => {
  assertEquals(readRun("call p TaskGet -").given.argument(2), "-");
  assertEquals(readRun("call p TaskGet -- --x").given.argument(2), "--x");
});

Deno.test("readArgv() sees that help or the version is asked for, whatever else is there", () => {
  assertEquals(read("--version"), { wants: "version" });
  assertEquals(read("call --version"), { wants: "version" });
  assertEquals(read("--help"), { wants: "help", command: null });
  const asked = read("call -h");
  assertEquals(asked.wants === "help" && asked.command?.name, "call");
});

Deno.test("readArgv() refuses what it does not know, and says what was probably meant", () => {
  const cases: readonly [line: string, message: string][] = [
    ["wach p", 'Cannot run "wach": there is no such command: did you mean watch?'],
    [
      "frobnicate",
      'Cannot run "frobnicate": there is no such command: the commands are ' +
      commands.map(({ name }) => name).join(", "),
    ],
    ["call p TaskList --jsn", "Cannot run call: it has no option --jsn: did you mean --json?"],
    ["pods --agent bob", "Cannot run pods: it has no option --agent"],
    ["call p", 'Cannot run call: it takes <pod> <Tool> [json]: got "p"'],
    ["call", "Cannot run call: it takes <pod> <Tool> [json]: got none"],
    ["verify p", 'Cannot run verify: it takes no arguments: got "p"'],
    ["replay a b", 'Cannot run replay: it takes <file>: got "a" "b"'],
  ];
  for (const [line, message] of cases) {
    assertEquals(assertThrows(() => read(line), UsageError).message, message, line);
  }
  assertThrows(() => read("call p TaskList --agent"), UsageError, "Cannot run call: ");
  assertThrows(() => read("pods --json=1"), UsageError, "Cannot run pods: ");
});
