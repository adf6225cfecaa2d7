import { assertEquals } from "@std/assert";
import { filesBelow, importsOf, roomOf } from "../helpers/source.ts";

/** Folders whose code is a function of its arguments: no clock, no chance, no world. */
const pure = ["tasks", "tools", "log", "acl", "transcripts", "graph"];

/** Room → the rooms it may import besides itself. A room is a folder of src, or a file that stands in src itself. */
const mayImport: ReadonlyMap<string, readonly string[]> = new Map([
  ["compat", []],
  ["errors.ts", []],
  ["logger.ts", []],
  ["config", ["compat", "errors.ts", "logger.ts"]],
  ["tasks", []],
  ["tools", ["tasks", "compat"]],
  ["log", ["tasks", "tools", "compat"]],
  ["acl", ["log"]],
  ["graph", ["tasks"]],
  ["files", ["tasks", "tools", "errors.ts"]],
  ["transcripts", ["tasks", "tools"]],
  ["worker", ["tasks", "tools", "log", "errors.ts", "logger.ts"]],
  ["telemetry", ["log", "worker/observer.ts", "worker/status.ts"]],
  [
    "http",
    [
      "tasks",
      "tools",
      "log",
      "graph",
      "worker/status.ts",
      "errors.ts",
      "logger.ts",
      "config/settings.ts",
      "config/addresses.ts",
    ],
  ],
  [
    "nats",
    [
      "tasks",
      "tools",
      "log",
      "worker/ports.ts",
      "cli/ports.ts",
      "errors.ts",
      "logger.ts",
      "config/settings.ts",
    ],
  ],
  ["cli", [
    "tasks",
    "tools",
    "log",
    "graph",
    "files",
    "transcripts",
    "acl",
    "worker/ports.ts",
    "worker/read_checkpoint.ts",
    "worker/read_to_end.ts",
    "errors.ts",
    "logger.ts",
    "config/settings.ts",
  ]],
  ["private_server", ["errors.ts"]],
]);

/** What would make a pure folder depend on more than its arguments. */
const impure = /\bDate\.now|new Date\(|Math\.random|\bcrypto\.|\bDeno\.|\basync\b|\bawait\b|\bconsole\b/;

Deno.test("each room of src imports only what its row allows", () => {
  const problems: string[] = [];
  for (const file of filesBelow("src")) {
    const room = roomOf(file);
    const allowed = mayImport.get(room);
    if (!allowed) problems.push(`${room} has no row in the table of rooms: give it one`);
    for (const imported of importsOf(file)) {
      const other = roomOf(imported);
      if (other === room || allowed?.includes(other) || allowed?.some((one) => `src/${one}` === imported)) {
        continue;
      }
      problems.push(`${file} imports ${imported}: ${room} may not`);
    }
  }
  assertEquals([...new Set(problems)], []);
});

Deno.test("pure folders use no clock, no chance, no world and nothing asynchronous", () => {
  const problems = pure.flatMap((room) => filesBelow(`src/${room}`)).flatMap((file) =>
    Deno.readTextFileSync(file).split("\n").flatMap((line, index) => {
      const code = line.replace(/\/\/.*|^\s*\*.*|"[^"]*"/g, "");
      const found = impure.exec(code);
      return found ? [`${file}:${index + 1} uses ${found[0]}`] : [];
    })
  );
  assertEquals(problems, []);
});

Deno.test("only main.ts and tests import src from outside of it", () => {
  const outside = [...filesBelow("."), "main.ts"].filter((file) =>
    !file.startsWith("src/") && !file.startsWith("tests/") && !file.startsWith("bench/") && file !== "main.ts"
  );
  assertEquals(outside.filter((file) => importsOf(file).some((imported) => imported.startsWith("src/"))), []);
});
