/** Values in the syntax of nats-server's configuration files. */

type ServerValue = string | readonly ServerValue[] | ServerBlock;
export interface ServerBlock {
  readonly [name: string]: ServerValue;
}

/** What is longer is broken into lines. */
const lineCharsMax = 80;

/** One entry per line, or per several lines. */
export function serverConfig(block: ServerBlock): string {
  return entriesOf(block).map(([name, value]) => `${name}: ${textOf(value, "")}\n`).join("");
}

function textOf(value: ServerValue, indent: string): string {
  if (typeof value === "string") return JSON.stringify(value);
  const short = inOneLine(value);
  if (indent.length + short.length <= lineCharsMax) return short;
  const inner = `${indent}  `;
  const lines = isList(value)
    ? value.map((item) => textOf(item, inner))
    : entriesOf(value).map(([name, item]) => `${name}: ${textOf(item, inner)}`);
  const [open, close] = isList(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${lines.map((line) => `${inner}${line}\n`).join("")}${indent}${close}`;
}

function inOneLine(value: ServerValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(inOneLine).join(", ")}]`;
  return `{ ${entriesOf(value).map(([name, item]) => `${name}: ${inOneLine(item)}`).join(", ")} }`;
}

function entriesOf(block: ServerBlock): readonly [name: string, value: ServerValue][] {
  return Object.entries(block);
}

function isList(value: ServerValue): value is readonly ServerValue[] {
  return Array.isArray(value);
}
