/** A folder of task files in memory. */
import type { Folder, FolderEntry } from "../../src/files/folder.ts";

interface MemoryFile {
  readonly kind: FolderEntry["kind"];
  readonly data: Uint8Array;
  readonly changedMs: number;
  readonly madeMs: number;
}

export class MemoryFolder implements Folder {
  readonly path = "memory";
  readonly #files = new Map<string, MemoryFile>();
  /** What was written, in order. */
  readonly written: string[] = [];

  /** @param files by name: their text, or a value that is written as JSON */
  constructor(files: { readonly [name: string]: unknown } = {}) {
    for (const [name, content] of Object.entries(files)) this.put(name, content);
  }

  put(name: string, content: unknown, more: Partial<MemoryFile> = {}): void {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    const data = content instanceof Uint8Array ? content : new TextEncoder().encode(text);
    this.#files.set(name, { kind: "file", data, changedMs: 0, madeMs: 0, ...more });
  }

  names(): Promise<readonly string[]> {
    return Promise.resolve([...this.#files.keys()].sort());
  }

  entry(name: string): Promise<FolderEntry | null> {
    const file = this.#files.get(name);
    return Promise.resolve(file ? { ...file, sizeBytes: file.data.length } : null);
  }

  read(name: string): Promise<Uint8Array> {
    return Promise.resolve(this.#file(name).data);
  }

  replace(name: string, text: string, changedMs: number | null): Promise<void> {
    this.put(name, text, { changedMs: changedMs ?? 0 });
    this.written.push(name);
    return Promise.resolve();
  }

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  text(name: string): string {
    return new TextDecoder().decode(this.#file(name).data);
  }

  /** The files as JSON, by name; one that is no JSON as its text. */
  contents(): { readonly [name: string]: unknown } {
    const names = [...this.#files.keys()].sort();
    return Object.fromEntries(
      names.map((name) => [name, name.endsWith(".json") ? JSON.parse(this.text(name)) : this.text(name)]),
    );
  }

  #file(name: string): MemoryFile {
    const file = this.#files.get(name);
    if (!file) throw new Error(`There is no ${name}`);
    return file;
  }
}
