/**
 * Reads one file of a folder, in every form that the tools write and people edit (SPEC §9). What a field says and a
 * task cannot hold is kept in its metadata, under the field's name.
 */
import { fieldsProblem } from "../tasks/fields.ts";
import { nestingMax } from "../tasks/limits.ts";
import { isRefusal } from "../tasks/refusal.ts";
import type { Change } from "../tasks/store.ts";
import { isBlank, trimWhiteSpace } from "../tasks/text.ts";
import { type Arguments, isJsonObject } from "../tools/arguments.ts";
import { type Fields, isGiven, listOf, readFields } from "../tools/fields.ts";
import { parseJsonText } from "../tools/json_text.ts";
import { isNestedDeeper } from "../tools/nesting.ts";
import { shown } from "../tools/shown.ts";
import { isAgentName } from "../tools/tokens.ts";
import { type FileId, fileIdOf, fileIdOfName } from "./file_id.ts";
import { KeptMetadata } from "./kept_metadata.ts";

/** More than the largest task takes, however it is escaped. */
export const taskFileBytesMax = 256 * 1024;

/** A task as its file tells it, the ids still being the folder's own. */
export interface FileTask {
  readonly file: string;
  readonly id: FileId;
  readonly fields: Omit<Change, "taskid" | "blockedBy">;
  readonly blockedBy: readonly FileId[];
  readonly blocks: readonly FileId[];
  /** What was not taken as it stands. */
  readonly notes: readonly string[];
}

/** The names that files give to a field, each list with the most usual one first. */
const names = {
  id: ["id", "taskid", "taskId", "task_id"],
  subject: ["subject", "title", "name", "content"],
  description: ["description"],
  status: ["status"],
  activeForm: ["activeForm", "active_form"],
  owner: ["owner"],
  blockedBy: ["blockedBy", "blocked_by"],
  blocks: ["blocks"],
  metadata: ["metadata"],
} as const satisfies Record<string, readonly string[]>;

/** The task, or why the file holds none; no full stop. */
export function readTaskFile(file: string, data: Uint8Array): FileTask | string {
  if (data.length > taskFileBytesMax) return tooLarge(data.length);
  const text = textOf(data);
  if (text === null) return "must be UTF-8: got other bytes";
  const content = parseJsonText(text);
  if (!isJsonObject(content)) return `must be a JSON object: got ${shown(content ?? text)}`;
  if (isNestedDeeper(content, nestingMax)) return `may be nested ${nestingMax} levels deep: got more`;
  return readContent(file, content);
}

export function tooLarge(sizeBytes: number): string {
  return `may have at most ${taskFileBytesMax} bytes: got ${sizeBytes}`;
}

function textOf(data: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function readContent(file: string, content: Arguments): FileTask | string {
  const { known, rest } = sortFields(content);
  const id = fileIdOf(known.id) ?? fileIdOfName(file);
  const blockedBy = fileIdsOf(known.blockedBy);
  const blocks = fileIdsOf(known.blocks);
  if (blockedBy === null) return `blockedBy must be a list of ids: got ${shown(known.blockedBy)}`;
  if (blocks === null) return `blocks must be a list of ids: got ${shown(known.blocks)}`;

  const owner = isOwner(known.owner) ? { owner: known.owner } : {};
  const kept = new KeptMetadata(known.metadata);
  if (typeof id === "string") kept.add("id", id);
  if (known.owner !== undefined && !isOwner(known.owner)) {
    kept.notes.push(
      `has no owner any more: ${shown(known.owner)} is no agent's name, and kept in the metadata`,
    );
    kept.add("owner", known.owner);
  }
  for (const [name, value] of Object.entries(rest)) kept.add(name, value);

  const { subject, description, status, activeForm } = known;
  const args = { subject, description, status, activeForm, ...owner, metadata: kept.value() };
  const reading = readFields(args, readKnown);
  if (isRefusal(reading)) return reading.message;
  const problem = fieldsProblem(reading.value);
  if (problem) return problem.message;
  return { file, id, fields: reading.value, blockedBy, blocks, notes: [...kept.notes, ...reading.warnings] };
}

function readKnown(fields: Fields): FileTask["fields"] {
  const owner = fields.clearable("owner") ?? null;
  const activeForm = fields.clearable("activeForm") ?? null;
  const metadata = fields.newMetadata();
  return {
    subject: fields.subject() ?? fields.refuse("subject is missing", "subject"),
    description: fields.text("description") ?? "",
    status: fields.status("status") ?? "pending",
    ...(activeForm === null ? {} : { activeForm }),
    ...(owner === null ? {} : { owner }),
    ...(metadata === null ? {} : { metadata }),
  };
}

interface SortedFields {
  readonly known: { readonly [field in keyof typeof names]?: unknown };
  readonly rest: Arguments;
}

/** The known fields, whatever the file calls them, and the others; null means "not given". */
function sortFields(content: Arguments): SortedFields {
  const taken = new Set<string>();
  const known = Object.entries(names).flatMap(([field, names]) => {
    const name = names.find((name) => isGiven(content, name));
    if (name === undefined) return [];
    taken.add(name);
    return [[field, content[name]] as const];
  });
  const rest = Object.entries(content).filter(([name, value]) => !taken.has(name) && value !== null);
  return { known: Object.fromEntries(known), rest: Object.fromEntries(rest) };
}

/** Null where something in it names nothing. */
function fileIdsOf(value: unknown): readonly FileId[] | null {
  const ids = value === undefined ? [] : listOf(value).map(fileIdOf);
  return ids.every((id) => id !== null) ? ids : null;
}

function isOwner(value: unknown): value is string {
  return typeof value === "string" && (isBlank(value) || isAgentName(trimWhiteSpace(value)));
}
