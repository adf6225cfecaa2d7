/** Values as they stand in an SVG file. */

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
]);

/** The text must have no characters that XML does not have: no controls, no lone surrogates. */
export function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities.get(character) ?? "");
}

/** Hundredths of a pixel are enough. */
export function px(length: number): string {
  return String(Math.round(length * 100) / 100);
}
