/** A folder of one test. */
import { join } from "node:path";

/** Disposing removes it with everything in it. */
export interface TempFolder extends AsyncDisposable {
  readonly path: string;
  /** By name, in alphabetical order. */
  names(): Promise<readonly string[]>;
  /** @param content text, or a value that is written as JSON */
  write(name: string, content: unknown): Promise<void>;
  text(name: string): Promise<string>;
  // deno-lint-ignore no-explicit-any
  json(name: string): Promise<any>;
}

export async function makeTempFolder(): Promise<TempFolder> {
  const path = await Deno.makeTempDir({ prefix: "tasuki-test-folder-" });
  const text = (name: string) => Deno.readTextFile(join(path, name));
  return {
    path,
    names: async () => (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).sort(),
    write: (name, content) =>
      Deno.writeTextFile(join(path, name), typeof content === "string" ? content : JSON.stringify(content)),
    text,
    json: async (name) => JSON.parse(await text(name)),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}
