/** Text of a file or of standard input. */
import { OperatorError } from "../errors.ts";
import type { ByteSource, World } from "./ports.ts";

/**
 * All of it.
 *
 * @param path `-` is standard input
 * @throws {OperatorError} when it cannot be read, or is not UTF-8
 */
export async function readText(world: World, path: string): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const bytes of await world.openFile(path)) text += decoder.decode(bytes, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new OperatorError(`Cannot read ${JSON.stringify(path)}: it must be UTF-8: got other bytes`, {
      cause: error,
    });
  }
}

/** Its lines without their ends, as they come; bytes that are no UTF-8 become U+FFFD. */
export async function* readLines(
  source: ByteSource,
  progress: (bytesDone: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytesDone = 0;
  let rest = "";
  for await (const bytes of source) {
    bytesDone += bytes.length;
    const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n");
    rest += first;
    for (const line of others) {
      yield withoutReturn(rest);
      rest = line;
    }
    progress(bytesDone);
  }
  rest += decoder.decode();
  if (rest !== "") yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
