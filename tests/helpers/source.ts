/** The project's own source, as the tidy tests read it. Paths are relative to the project's folder. */
import { dirname, join } from "node:path/posix";

const skipped = [".git", ".tasuki", "node_modules", "coverage"];

/** The TypeScript files below a folder, in order. */
export function filesBelow(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1).flatMap((entry) => {
    const path = folder === "." ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory) return skipped.includes(entry.name) ? [] : filesBelow(path);
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}

const importMap: { readonly [name: string]: string } = JSON.parse(Deno.readTextFileSync("deno.json")).imports;

/** What a file imports or re-exports of the project, by a relative path or the import map, as paths of the project. */
export function importsOf(file: string): readonly string[] {
  const text = Deno.readTextFileSync(file);
  return [...text.matchAll(/^(?:import|export)\b[^"';]*?from "([^"]+)"|^import "([^"]+)"/gm)]
    .map((found) => found[1] ?? found[2] ?? "")
    .flatMap((name) => {
      if (name.startsWith(".")) return [join(dirname(file), name)];
      const target = importMap[name];
      return target?.startsWith(".") ? [join(target)] : [];
    });
}

/** `src/tasks/store.ts` → `tasks`; `src/errors.ts` → `errors.ts`; what is not in src: the path itself. */
export function roomOf(file: string): string {
  const [top, room] = file.split("/");
  return top === "src" && room !== undefined ? room : file;
}
