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
    ["call p", 'Cannot run call: it takes <pod> <Tool> [json]: got "p"'],
    ["call", "Cannot run call: it takes <pod> <Tool> [json]: got none"],
    ["verify p", 'Cannot run verify: it takes no arguments: got "p"'],
    ["replay a b", 'Cannot run replay: it takes <file>: got "a" "b"'],
    ["dump a b", 'Cannot run dump: it takes <pod>|--all: got "a" "b"'],
    ["acl pod demo", 'Cannot run acl: it takes <role>: got "pod" "demo": did you mean --pod demo?'],
    ["help wach", 'Cannot run "wach": there is no such command: did you mean watch?'],
  ];
  for (const [line, message] of cases) {
    assertEquals(assertThrows(() => read(line), UsageError).message, message, line);
  }
  assertThrows(() => read("call p TaskList --agent"), UsageError, "Cannot run call: ");
  assertThrows(() => read("pods --json=1"), UsageError, "Cannot run pods: ");
});

Deno.test("readArgv() hands on every option that there is not, with the one that was meant or all there are", () => {
  const cases: readonly [line: string, problems: readonly string[]][] = [
    ["call p TaskList --jsn --prefix x", ["call has no option --jsn: did you mean --json?"]],
    [
      "graph board --svg --all",
      ["--svg", "--all"].map((option) =>
        `graph has no option ${option}: it has --format <tree|mermaid|svg>, ` +
        "the settings that tasuki graph --help lists"
      ),
    ],
    ["serve --nope 3", ["serve has no option --nope: it has the settings that tasuki serve --help lists"]],
    ["pods --json", []],
  ];
  for (const [line, problems] of cases) assertEquals(readRun(line).problems, problems, line);
  assertEquals(readRun("serve --replicas two --nope 3").flags.replicas, "two");
});

Deno.test("readArgv() takes the words help and version for the flags", () => {
  assertEquals(read("version"), { wants: "version" });
  assertEquals(read("help"), { wants: "help", command: null });
  const asked = read("help call");
  assertEquals(asked.wants === "help" && asked.command?.name, "call");
  assertEquals(readRun("graph help").given.argument(0), "help");
});

Deno.test("readArgv() takes a pod or --all where a form has both", () => {
  assertEquals(readRun("dump p").given.argument(0), "p");
  assertEquals(readRun("dump --all").given.argument(0), null);
});
