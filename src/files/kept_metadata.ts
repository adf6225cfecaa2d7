/** What goes into a task's metadata: the file's own, then whatever else a file says, as far as there is room for it. */
import { metadataBytesMax } from "../tasks/limits.ts";
import { utf8Bytes } from "../tasks/text.ts";
import { type Arguments, isJsonObject } from "../tools/arguments.ts";
import { parseJsonText } from "../tools/json_text.ts";
import { shown } from "../tools/shown.ts";

export class KeptMetadata {
  readonly notes: string[] = [];
  readonly #entries = new Map<string, unknown>();
  /** As JSON, with a comma in front of each entry. */
  #bytes = "}".length;

  constructor(metadata: unknown) {
    const own = typeof metadata === "string" ? parseJsonText(metadata) : metadata;
    const entries = isJsonObject(own) ? own : metadata === undefined ? {} : { metadata };
    for (const [name, value] of Object.entries(entries)) this.add(name, value);
  }

  add(name: string, value: unknown): void {
    if (this.#entries.has(name)) {
      this.notes.push(`${shown(name)} stands in the metadata, too: that one is kept`);
      return;
    }
    const bytes = utf8Bytes(JSON.stringify({ [name]: value })) - 1;
    if (this.#bytes + bytes > metadataBytesMax) {
      this.notes.push(`left out ${shown(name)}: metadata may have at most ${metadataBytesMax} bytes of JSON`);
      return;
    }
    this.#bytes += bytes;
    this.#entries.set(name, value);
  }

  value(): Arguments {
    return Object.fromEntries(this.#entries);
  }
}
