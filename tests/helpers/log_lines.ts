/** What a worker logged, to be inspected and waited for. */
import type { LogFields, Logger, LogLevel } from "../../src/logger.ts";
import { within } from "./within.ts";

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly fields: { readonly [name: string]: unknown };
}

export class LogLines implements Logger {
  readonly all: LogLine[] = [];
  #waiting: (() => void)[] = [];

  readonly debug = this.#at("debug");
  readonly info = this.#at("info");
  readonly warn = this.#at("warn");
  readonly error = this.#at("error");

  #at(level: LogLevel): (msg: string, fields?: LogFields) => void {
    return (msg, fields = {}) => this.add({ level, msg, fields });
  }

  add(line: LogLine): void {
    this.all.push(line);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Lines with this message, oldest first. */
  of(msg: string): readonly LogLine[] {
    return this.all.filter((line) => line.msg === msg);
  }

  /** Level and error of the lines with this message, oldest first. */
  reasonsOf(msg: string): string[] {
    return this.of(msg).map(({ level, fields }) => `${level}: ${fields.error}`);
  }

  /** The first line with this message after `afterCount` others of it, as soon as it is there. */
  async next(msg: string, afterCount = 0): Promise<LogLine> {
    for (;;) {
      const line = this.of(msg)[afterCount];
      if (line) return line;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** As {@link next}. @throws {Error} when it does not come in time */
  logged(msg: string, afterCount = 0): Promise<LogLine> {
    const seen = () => JSON.stringify(this.all.slice(-20));
    return within(
      this.next(msg, afterCount),
      () => `log line "${msg}" after ${afterCount} of it: got ${seen()}`,
    );
  }

  /** Messages of level warn and error. */
  get complaints(): readonly string[] {
    return this.all.filter(({ level }) => level === "warn" || level === "error").map(({ msg }) => msg);
  }
}
