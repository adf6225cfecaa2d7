/** This process as the commands see it: its streams, its terminal, its files, its clock. */
import { OperatorError } from "../errors.ts";
import { DiskFolder } from "../files/disk_folder.ts";
import type { ByteSource, TerminalSize, World } from "./ports.ts";

type ThisProcess = Omit<World, "config" | "subjects" | "stop" | "openRemote" | "serve">;

/** @param writeError writes to standard error in a way that cannot stop the process */
export function thisProcess(writeError: (text: string) => unknown): ThisProcess {
  const isTerminal = Deno.stdout.isTerminal();
  return {
    out: { isTerminal, write: writeOut },
    err: { isTerminal: Deno.stderr.isTerminal(), write: (text) => void writeError(text) },
    isColored: isTerminal && !Deno.noColor,
    terminalSize,
    openFile,
    openFolder: (path) => new DiskFolder(path, { freshId, nowMs: Date.now }),
    nowMs: Date.now,
    freshId,
  };
}

function freshId(): string {
  return crypto.randomUUID();
}

async function writeOut(text: string): Promise<void> {
  let unwritten = new TextEncoder().encode(text);
  while (unwritten.length > 0) unwritten = unwritten.subarray(await Deno.stdout.write(unwritten));
}

/** A terminal that does not know its size has 80 columns and 24 rows. */
function terminalSize(): TerminalSize {
  const { columns, rows } = Deno.consoleSize();
  return { columns: columns || 80, rows: rows || 24 };
}

async function openFile(path: string): Promise<ByteSource> {
  if (path === "-") return byteSource(Deno.stdin.readable, null);
  try {
    const file = await Deno.open(path);
    const { size, isFile, isDirectory } = await file.stat();
    if (isDirectory) {
      file.close();
      throw new Error("it is a folder");
    }
    return byteSource(file.readable, isFile ? size : null);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new OperatorError(`Cannot read ${JSON.stringify(path)}: ${error.message}`, { cause: error });
  }
}

function byteSource(stream: ReadableStream<Uint8Array>, bytesTotal: number | null): ByteSource {
  return { bytesTotal, [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator]() };
}
