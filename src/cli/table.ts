/** Rows in columns that are as wide as what stands in them. */
import { displayWidth, padToWidth } from "./display_width.ts";

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

/** Text fit for a terminal: the titles, then one line per row. Each row has as many cells as there are columns. */
export function tableText(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, place) =>
    Math.max(...lines.map((cells) => displayWidth(cells[place] ?? "")))
  );
  return lines.map((cells) =>
    cells.map((cell, place) => padToWidth(cell, widths[place] ?? 0, columns[place]?.align ?? "left"))
      .join("  ").trimEnd() + "\n"
  ).join("");
}
