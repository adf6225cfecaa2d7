import { assertEquals } from "@std/assert";
import { filesBelow, importsOf, roomOf } from "../helpers/source.ts";

interface Room {
  /** A folder of src, or a file that stands in src itself. */
  readonly name: string;
  /** Whether its code is a function of its arguments: no clock, no chance, no world. */
  readonly isPure: boolean;
  /** As its row has it. */
  readonly mayImport: string;
}

/** The table of rooms in ARCHITECTURE.md. */
const rooms: readonly Room[] = Deno.readTextFileSync("ARCHITECTURE.md").split("\n").flatMap((line) => {
  const [, names = "", about = "", mayImport = ""] = line.split("|").map((cell) => cell.trim());
  return [...names.matchAll(/`(src\/[\w.]+)`/g)].map(([, path = ""]) => (
    { name: roomOf(path), isPure: about.endsWith("; pure"), mayImport }
  ));
});
const pure = rooms.filter((room) => room.isPure).map(({ name }) => name);

/** Whether a row names what a file of its room imports: a room, or one file. */
function allows({ mayImport }: Room, imported: string): boolean {
  return mayImport.replace("the pure rooms", pure.join(", ")).split(", ")
    .some((name) => imported === `src/${name}.ts` || imported.startsWith(`src/${name}/`));
}

/** What would make a pure folder depend on more than its arguments. */
const impure = /\bDate\.now|new Date\(|Math\.random|\bcrypto\.|\bDeno\.|\basync\b|\bawait\b|\bconsole\b/;

Deno.test("each room of src imports only what its row in ARCHITECTURE.md allows", () => {
  const problems = filesBelow("src").flatMap((file) => {
    const room = rooms.find(({ name }) => name === roomOf(file));
    if (!room) return [`${roomOf(file)} has no row in the table of rooms: give it one`];
    return importsOf(file).filter((imported) => roomOf(imported) !== room.name && !allows(room, imported))
      .map((imported) => `${file} imports ${imported}: ${room.name} may not`);
  });
  assertEquals([pure.length > 3, [...new Set(problems)]], [true, []]);
});

Deno.test("each row of the table of rooms names only what its room imports", () => {
  const idle = rooms.flatMap((room) => {
    const imported = filesBelow("src").filter((file) => roomOf(file) === room.name).flatMap(importsOf);
    const names = room.mayImport.split(", ").filter((name) => !["nothing", "the pure rooms"].includes(name));
    return names.filter((name) => !imported.some((path) => allows({ ...room, mayImport: name }, path)))
      .map((name) => `${room.name} imports nothing of ${name}`);
  });
  assertEquals(idle, []);
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
