/** What a person is told of one file: why it was left out, or what of it could not be taken as it stands. */

export interface FileNote {
  /** The file's name in its folder. */
  readonly file: string;
  /** Goes on after the name; no full stop. */
  readonly message: string;
  /** Whether the file was not read, or not written. */
  readonly isLeftOut: boolean;
}

export function noteOn(file: string, message: string): FileNote {
  return { file, message, isLeftOut: false };
}

export function leftOut(file: string, message: string): FileNote {
  return { file, message, isLeftOut: true };
}
