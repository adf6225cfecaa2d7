import { assertEquals } from "@std/assert";
import { testApp } from "../../helpers/http_app.ts";

async function read(path: string): Promise<{ readonly type: string; readonly text: string } | null> {
  using test = testApp();
  const response = await test.get(path);
  const text = await response.text();
  return response.ok ? { type: response.headers.get("content-type") ?? "", text } : null;
}

/** The page and everything that it loads, keyed by path; null where something is not there. */
async function wholePage(): Promise<ReadonlyMap<string, { type: string; text: string } | null>> {
  const found = new Map<string, { type: string; text: string } | null>([["/", await read("/")]]);
  for (const [path, file] of found) {
    const text = path === "/page/dagre.js" ? "" : file?.text ?? "";
    const named = [...text.matchAll(/(?:src|href)="(\/[^"]*)"|"(\/page\/[^"]+)"|from "\.(\/[^"]+)"/g)]
      .map(([, inPage, whole, beside]) => inPage ?? whole ?? `/page${beside}`);
    for (const other of named) if (!found.has(other)) found.set(other, await read(other));
  }
  return found;
}

Deno.test("the page loads what is there, each with its type", async () => {
  const types = new Map([
    ["css", "text/css; charset=utf-8"],
    ["js", "text/javascript; charset=utf-8"],
    ["svg", "image/svg+xml"],
    ["/", "text/html; charset=utf-8"],
  ]);
  const page = await wholePage();
  const expected = [...page.keys()].map((path) => [path, types.get(path.split(".").at(-1) ?? "")]);
  assertEquals([...page].map(([path, file]) => [path, file?.type]), expected);
  assertEquals(page.size, 22);
});

Deno.test("the page asks no other host for anything", async () => {
  const allowed = ["http://www.w3.org/2000/svg"];
  for (const [path, file] of await wholePage()) {
    if (path === "/page/dagre.js") continue;
    const addresses = [...(file?.text ?? "").matchAll(/(?:https?:)?\/\/[\w-]+\.[\w./-]+/g)].map(([found]) =>
      found
    );
    assertEquals([path, addresses.filter((address) => !allowed.includes(address))], [path, []]);
  }
});

Deno.test("the page has no script or style in its markup, and makes no markup from text", async () => {
  for (const [path, file] of await wholePage()) {
    if (path === "/page/dagre.js") continue;
    const found =
      /<script(?! type="module" src=)|<style|\sstyle=|\son\w+=|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser/
        .exec(file?.text ?? "");
    assertEquals([path, found?.[0]], [path, undefined]);
  }
});
