/** The word that was probably meant. */

const distanceMax = 2;

/** The known word that is nearest to what came, where one is near; in a form that ends a message, else nothing. */
export function didYouMean(text: string, known: readonly string[]): string {
  const [best] = known.map((word) => ({ word, distance: distanceOf(text, word) }))
    .filter(({ word, distance }) => distance <= distanceMax && distance < word.length)
    .sort((a, b) => a.distance - b.distance);
  return best ? `: did you mean ${best.word}?` : "";
}

/** How many characters must be put in, taken out or exchanged to make one text of the other (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [line, character] of [...a].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...b].entries()) {
      const exchanged = (row[column] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(exchanged, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
