/** What a person is told of files that were read or written. */
import type { FileNote } from "../files/file_note.ts";
import type { Written } from "../files/write_folder.ts";
import type { World } from "./ports.ts";
import { lineForTerminal } from "./terminal_text.ts";

export function reportNotes({ err }: World, notes: readonly FileNote[]): void {
  for (const { file, message, isLeftOut } of notes) {
    err.write(lineForTerminal(`${isLeftOut ? "Left out " : ""}${file}: ${message}`) + "\n");
  }
}

export async function reportWritten(
  world: World,
  path: string,
  { written, unchanged, notes }: Written,
): Promise<void> {
  reportNotes(world, notes);
  const others = unchanged === 0 ? "" : `, ${unchanged} said the same already`;
  await world.out.write(`Wrote ${written} file(s) to ${lineForTerminal(path)}${others}\n`);
}
