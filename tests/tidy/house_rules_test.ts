import { dirname, join } from "node:path/posix";
import { assertEquals } from "@std/assert";
import { filesBelow } from "../helpers/source.ts";

const source = [...filesBelow("src"), "main.ts"];
const documents = [
  ...["README.md", "ARCHITECTURE.md", "CHANGELOG.md"],
  ...[...Deno.readDirSync("docs")].map(({ name }) => `docs/${name}`).filter((path) => path.endsWith(".md")),
];

Deno.test("every error names itself as its class", () => {
  const problems = source.flatMap((file) =>
    [
      ...Deno.readTextFileSync(file).matchAll(
        /class (\w+) extends (?:\w*Error|RejectedInput)\b[^{]*\{([^}]*)/g,
      ),
    ]
      .filter(([, name, body]) => !body?.includes(`readonly name = "${name}"`))
      .map(([, name]) => `${file}: ${name} must have \`override readonly name = "${name}"\``)
  );
  assertEquals(problems, []);
});

Deno.test("every path, picture and page of ours that a document names exists", () => {
  const named = documents.flatMap((document) => {
    const text = Deno.readTextFileSync(document);
    const paths = text.matchAll(
      /`((?:src|tests|bench|docs|deploy|\.ci)(?:\/[\w./-]*)?|main\.ts|deno\.json|Dockerfile|\w+\.md)`/g,
    );
    const links = text.matchAll(/\]\(([^):]+)\)/g);
    return [
      ...[...paths].map(([, path = ""]) => ({ document, path })),
      ...[...links].map(([, path = ""]) => ({ document, path: join(dirname(document), path) })),
    ];
  });
  assertEquals(named.length > 50, true);
  assertEquals(named.filter(({ path }) => !exists(path)), []);
});

Deno.test("at the top stands only what is meant to, or what git ignores", () => {
  const meant = [
    ...["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE", "Dockerfile", "deno.json", "deno.lock"],
    ...["main.ts", "src", "tests", "bench", "docs", "deploy"],
  ];
  const ignored = Deno.readTextFileSync(".gitignore").split("\n").map((line) => line.replace(/\/$/, ""));
  const strange = [...Deno.readDirSync(".")].map(({ name }) => name)
    .filter((name) => !name.startsWith(".") && !meant.includes(name) && !ignored.includes(name));
  assertEquals(strange, []);
});

Deno.test("every entry of the import map is used", () => {
  const { imports } = JSON.parse(Deno.readTextFileSync("deno.json"));
  const text = filesBelow(".").map((file) => Deno.readTextFileSync(file)).join("\n");
  assertEquals(Object.keys(imports).filter((name) => !text.includes(`"${name}"`)), []);
});

Deno.test("every dependency is pinned to one version", () => {
  const { imports } = JSON.parse(Deno.readTextFileSync("deno.json"));
  const loose = Object.values(imports).filter((target) =>
    String(target).startsWith("npm:") && !/@\d+\.\d+\.\d+$/.test(String(target))
  );
  assertEquals(loose, []);
});

Deno.test("no file of src is longer than 500 lines", () => {
  const long = source.filter((file) => Deno.readTextFileSync(file).split("\n").length > 500);
  assertEquals(long, []);
});

Deno.test("no file or folder is named utils, helpers or manager, and there are no barrels", () => {
  assertEquals(
    source.filter((file) => /(?:^|\/)(?:utils?|helpers?|manager|index|mod)(?:\.ts|\/)/.test(file)),
    [],
  );
});

Deno.test("nothing in the documents or the code names a machine's own paths", () => {
  const files = [...source, ...filesBelow("tests"), ...documents].filter((file) => !file.includes("tidy/"));
  assertEquals(files.filter((file) => /\/(?:work|root|home)\//.test(Deno.readTextFileSync(file))), []);
});

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
