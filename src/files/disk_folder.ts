/** A folder of task files on disk. */
import { join } from "node:path";
import { OperatorError } from "../errors.ts";
import type { Folder, FolderEntry } from "./folder.ts";

/** What is written before it gets its name. */
const unfinished = /^\.tasuki-[\w-]+\.tmp$/;
/** How long a file may stay unfinished before nobody can be writing it any more, in milliseconds. */
const unfinishedMsMax = 60_000;

export class DiskFolder implements Folder {
  readonly path: string;
  readonly #freshId: () => string;
  readonly #nowMs: () => number;

  /** @param freshId fit for a file's name, never given twice */
  constructor(path: string, { freshId, nowMs }: { freshId: () => string; nowMs: () => number }) {
    this.path = path;
    this.#freshId = freshId;
    this.#nowMs = nowMs;
  }

  async names(): Promise<readonly string[]> {
    return await attempt(`read the folder ${this.#shown()}`, async () => {
      const entries = await Array.fromAsync(Deno.readDir(this.path));
      return entries.map(({ name }) => name).sort();
    });
  }

  async entry(name: string): Promise<FolderEntry | null> {
    return await attempt(`read ${this.#shown(name)}`, async () => {
      const info = await unlessMissing(Deno.lstat(join(this.path, name)));
      if (info === null) return null;
      const { isFile, isSymlink, isDirectory, size, mtime, birthtime } = info;
      const changedMs = mtime?.getTime() ?? 0;
      return {
        kind: isFile ? "file" : isSymlink ? "link" : isDirectory ? "folder" : "device",
        sizeBytes: size,
        changedMs,
        madeMs: birthtime?.getTime() ?? changedMs,
      };
    });
  }

  async read(name: string): Promise<Uint8Array> {
    return await attempt(`read ${this.#shown(name)}`, () => Deno.readFile(join(this.path, name)));
  }

  async replace(name: string, text: string, changedMs: number | null): Promise<void> {
    const temporary = join(this.path, `.tasuki-${this.#freshId()}.tmp`);
    await attempt(`write ${this.#shown(name)}`, async () => {
      try {
        await Deno.writeTextFile(temporary, text, { createNew: true });
        const changed = changedMs === null ? null : new Date(changedMs);
        if (changed) await Deno.utime(temporary, changed, changed);
        await Deno.rename(temporary, join(this.path, name));
      } catch (error) {
        await unlessMissing(Deno.remove(temporary));
        throw error;
      }
    });
  }

  async prepare(): Promise<void> {
    await attempt(`make the folder ${this.#shown()}`, () => Deno.mkdir(this.path, { recursive: true }));
    for (const name of await this.names()) {
      if (unfinished.test(name)) await this.#removeAbandoned(join(this.path, name));
    }
  }

  async #removeAbandoned(path: string): Promise<void> {
    await attempt(`remove ${JSON.stringify(path)}`, async () => {
      const info = await unlessMissing(Deno.lstat(path));
      const touchedMs = info?.ctime?.getTime() ?? this.#nowMs();
      if (this.#nowMs() - touchedMs > unfinishedMsMax) await unlessMissing(Deno.remove(path));
    });
  }

  #shown(name = ""): string {
    return JSON.stringify(join(this.path, name));
  }
}

async function unlessMissing<T>(doing: Promise<T>): Promise<T | null> {
  try {
    return await doing;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** @throws {OperatorError} in place of what the system says */
async function attempt<T>(what: string, doing: () => Promise<T>): Promise<T> {
  try {
    return await doing();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new OperatorError(`Cannot ${what}: ${error.message}`, { cause: error });
  }
}
