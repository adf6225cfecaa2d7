/** A log that answers nothing: what a test needs of it, it overrides. */
import { TransientError } from "../../src/errors.ts";
import type {
  Acknowledgement,
  Log,
  LogReader,
  LogState,
  OutputMessage,
  ReadOptions,
} from "../../src/worker/ports.ts";
import type { LogMessage } from "../../src/log/log_message.ts";

export class UnreachableLog implements Log {
  state(): Promise<LogState> {
    return this.#away();
  }

  read(_options: ReadOptions): Promise<LogReader> {
    return this.#away();
  }

  get(_seq: number): Promise<LogMessage | null> {
    return this.#away();
  }

  record(_message: OutputMessage): Promise<Acknowledgement> {
    return this.#away();
  }

  shorten(_firstSeq: number): Promise<void> {
    return this.#away();
  }

  tell(): void {}

  #away(): Promise<never> {
    return Promise.reject(new TransientError("There is no server"));
  }
}
