/** A folder of task files, as the outside has it. `disk_folder.ts` fulfils it. */

/** What stands under a name. Times are in milliseconds since the epoch. */
export interface FolderEntry {
  readonly kind: "file" | "link" | "folder" | "device";
  readonly sizeBytes: number;
  readonly changedMs: number;
  readonly madeMs: number;
}

export interface Folder {
  /** As the person who named it would call it. */
  readonly path: string;
  /**
   * In alphabetical order.
   *
   * @throws {OperatorError} when it is no folder, or may not be read
   */
  names(): Promise<readonly string[]>;
  /**
   * Null where nothing has that name. A link is not followed.
   *
   * @throws {OperatorError} when it cannot be told
   */
  entry(name: string): Promise<FolderEntry | null>;
  /** @throws {OperatorError} when it cannot be read */
  read(name: string): Promise<Uint8Array>;
  /**
   * Writes the whole file, or none of it: whoever reads meanwhile sees the old one or the new one, and what a killed
   * process leaves behind has a name that begins with a dot. It may be lost in a power cut.
   *
   * @param changedMs what the file's time of change is set to; null: now
   * @throws {OperatorError} when it cannot be written
   */
  replace(name: string, text: string, changedMs: number | null): Promise<void>;
  /**
   * Makes the folder where it is missing, and removes what killed processes have left.
   *
   * @throws {OperatorError} when it cannot be made
   */
  prepare(): Promise<void>;
}
