/** The run book knows what the worker says; the documents name tests that there are. */
import { assertEquals } from "@std/assert";
import { filesBelow } from "../helpers/source.ts";

const runBook = Deno.readTextFileSync("docs/OPERATIONS.md");
const source = [...filesBelow("src").filter((file) => !file.startsWith("src/cli/")), "main.ts"]
  .map((file) => Deno.readTextFileSync(file));

Deno.test("docs/OPERATIONS.md has every line that is logged, with its level", () => {
  const lines = source.flatMap((text) => [...text.matchAll(/logger\.(info|warn|error)\(\s*"([^"]+)"/g)]);
  const rows = runBook.split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
  const missing = lines.filter(([, level = "", line = ""]) =>
    !rows.some(([, known, explained]) => known === level && explained?.includes(line))
  ).map(([, level, line]) => `${level}: ${line}`);
  assertEquals(lines.length > 20, true);
  assertEquals([...new Set(missing)], []);
});

/** With their prefixes. */
function metricNames(): readonly string[] {
  const text = Deno.readTextFileSync("src/telemetry/metrics.ts");
  const made = text.matchAll(/this\.#(counter|gauge|histogram|process)\(\s*(?:Counter, |Gauge, )?"(\w+)"/g);
  return [...made].map(([, kind = "", name = ""]) => {
    if (kind === "process") return `process_${name}`;
    return kind === "counter" ? `tasuki_${name}_total` : `tasuki_${name}`;
  });
}

Deno.test("docs/OPERATIONS.md has every metric, and deploy/alerts.yaml no other", () => {
  const names = metricNames();
  assertEquals(names.length > 15, true);
  assertEquals(names.filter((name) => !runBook.includes(`\`${name.replace(/^tasuki_/, "")}`)), []);
  const used = Deno.readTextFileSync("deploy/alerts.yaml").matchAll(/\b(tasuki|process)_[a-z_]+/g);
  const known = new Set(names.flatMap((name) => [name, `${name}_bucket`]));
  assertEquals([...used].map(([name]) => name).filter((name) => !known.has(name)), []);
});

Deno.test("docs/OPERATIONS.md has every reason why a worker is not ready", () => {
  const reasons = [...Deno.readTextFileSync("src/worker/readiness.ts").matchAll(/return ["`]([^"`$]+)/g)];
  const missing = reasons.map(([, reason = ""]) => reason.replace(/: read up to seq $/, "").trim())
    .filter((reason) => !runBook.includes(reason));
  assertEquals([reasons.length > 3, missing], [true, []]);
});

for (const document of ["docs/SECURITY.md", "docs/PROMISES.md"]) {
  Deno.test(`${document} names tests that there are`, () => {
    const text = Deno.readTextFileSync(document).replaceAll(/\s+/g, " ");
    const tests = filesBelow("tests");
    const files = [...text.matchAll(/`((?:\w+\/)*\w+_test\.ts)`/g)].map(([, name = ""]) => name);
    assertEquals(files.filter((name) => !tests.some((file) => `/${file}`.endsWith(`/${name}`))), []);
    const texts = tests.map((file) => Deno.readTextFileSync(file)).join("\n");
    const titles = [...text.matchAll(/"([^"|]{25,})"/g)].map(([, title = ""]) => title);
    assertEquals(titles.length > 5, true);
    // What differs from one test of a kind to the next is left out.
    assertEquals(titles.filter((title) => !title.split("…").every((part) => texts.includes(part))), []);
  });
}
