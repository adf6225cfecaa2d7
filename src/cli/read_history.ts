/** Reads a session log of any known form; which one it is, its content says. */
import type { LogMessage } from "../log/log_message.ts";
import { isJsonObject } from "../tools/arguments.ts";
import { ClaudeCodeReader, isTranscriptLine } from "../transcripts/claude_code.ts";
import { entriesOfDocument, looksLikeEntry } from "../transcripts/entry.ts";
import { readDumpedMessage } from "./dump_format.ts";

type HistoryForm = "a dump of Tasuki" | "a Claude Code transcript" | "a list of entries";

interface BrokenLine {
  /** From 1. */
  readonly line: number;
  readonly problem: string;
}

export interface History {
  /** Null where nothing in it says. */
  readonly form: HistoryForm | null;
  readonly linesCount: number;
  /** Of a transcript or a list, in the form of SPEC §7. */
  readonly entries: readonly unknown[];
  /** Of a dump, in log order. */
  readonly messages: readonly LogMessage[];
  /** Lines left out since they stand in the file once more. */
  readonly repeatedLines: number;
  readonly brokenLines: readonly BrokenLine[];
}

export async function readHistory(lines: AsyncIterable<string>): Promise<History> {
  const reader = new HistoryReader();
  /** Set where the first line is the beginning of a value that goes on in the next ones. */
  let document: string[] | null = null;
  let isFirst = true;
  for await (const line of lines) {
    if (isFirst && line.trim() !== "") {
      isFirst = false;
      if (jsonOf(line) === undefined) document = [];
    }
    if (document) document.push(line);
    else reader.takeLine(line);
  }
  if (document) reader.takeDocument(document);
  return reader.finish();
}

class HistoryReader {
  readonly #claudeCode = new ClaudeCodeReader();
  readonly #entries: unknown[] = [];
  readonly #messages: LogMessage[] = [];
  readonly #brokenLines: BrokenLine[] = [];
  #form: HistoryForm | null = null;
  #linesCount = 0;

  /** One value over all lines, or else lines of which the first is broken. */
  takeDocument(lines: readonly string[]): void {
    const value = jsonOf(lines.join("\n"));
    if (value === undefined) return lines.forEach((line) => this.takeLine(line));
    this.#linesCount = lines.length;
    this.#takeAny(value);
  }

  takeLine(line: string): void {
    this.#linesCount++;
    if (line.trim() === "") return;
    const value = jsonOf(line);
    if (value === undefined) this.#break("it is not JSON");
    else this.#takeAny(value);
  }

  #takeAny(value: unknown): void {
    const list = entriesOfDocument(value);
    if (list === null) return this.#take(value);
    if (list.length === 0) this.#form ??= "a list of entries";
    for (const item of list) this.#take(item);
  }

  #take(value: unknown): void {
    const form = formOf(value);
    this.#form ??= form;
    const message = this.#form === "a dump of Tasuki" ? readDumpedMessage(value) : null;
    if (message) this.#messages.push(message);
    else if (this.#form === "a Claude Code transcript" && isJsonObject(value)) {
      this.#entries.push(...this.#claudeCode.read(value));
    } else if (this.#form === "a list of entries") this.#entries.push(value);
    else if (this.#form !== null) this.#break(`it is no part of ${this.#form}`);
  }

  #break(problem: string): void {
    this.#brokenLines.push({ line: this.#linesCount, problem });
  }

  finish(): History {
    return {
      form: this.#form,
      linesCount: this.#linesCount,
      entries: this.#entries,
      messages: this.#messages,
      repeatedLines: this.#claudeCode.repeatedLines,
      brokenLines: this.#brokenLines,
    };
  }
}

/** Null where the value could be part of anything. */
function formOf(value: unknown): HistoryForm | null {
  if (readDumpedMessage(value)) return "a dump of Tasuki";
  if (looksLikeEntry(value)) return "a list of entries";
  return isJsonObject(value) && isTranscriptLine(value) ? "a Claude Code transcript" : null;
}

/** Undefined where the text is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
