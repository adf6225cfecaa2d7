/** Rows in columns that are as wide as what stands in them. */
import { displayWidth, padToWidth } from "./display_width.ts";

/**
 * One line per row. The cells are fit for a terminal, as many in each row.
 *
 * @param sides of each column on which its cells stand; left where it is not said
 */
export function tableText(
  rows: readonly (readonly string[])[],
  sides: readonly ("left" | "right")[] = [],
): string {
  const widths = rows[0]?.map((_, place) =>
    Math.max(...rows.map((cells) => displayWidth(cells[place] ?? "")))
  );
  const cellText = (cell: string, place: number): string =>
    padToWidth(cell, widths?.[place] ?? 0, sides[place] ?? "left");
  return rows.map((cells) => `${cells.map(cellText).join("  ").trimEnd()}\n`).join("");
}
