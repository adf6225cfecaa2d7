/** The parts of a Markdown page that a program writes: each stands between two comments. */

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/**
 * The page with another content of that part.
 *
 * @throws {Error} when the page has no such part
 */
export function withPart(page: string, name: string, content: string): string {
  const begin = `<!-- begin: ${name} -->`;
  const end = `<!-- end: ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) {
    throw new Error(`Cannot write part "${name}": the page must have ${begin} and ${end}`);
  }
  return `${page.slice(0, from + begin.length)}\n\n${content}\n\n${page.slice(to)}`;
}
