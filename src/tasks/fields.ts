/** The limits on a task's own fields (SPEC §4, R12). */
import { activeFormCharsMax, descriptionBytesMax, metadataBytesMax, subjectCharsMax } from "./limits.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { JsonObject } from "./task.ts";
import { hasMoreCodePoints, isBlank, utf8Bytes } from "./text.ts";

export interface Fields {
  readonly subject?: string;
  readonly description?: string;
  readonly activeForm?: string | null;
  readonly metadata?: JsonObject | null;
}

/** Null where every field that is there keeps its limits. */
export function fieldsProblem(fields: Fields): Refusal | null {
  const { subject, description, activeForm, metadata } = fields;
  if (subject !== undefined && isBlank(subject)) {
    return refuse("invalid_arguments", "subject must have something to read: got only blanks", {
      field: "subject",
    });
  }
  if (subject !== undefined && hasMoreCodePoints(subject, subjectCharsMax)) {
    return tooLong("subject", `${subjectCharsMax} characters`, `${[...subject].length}`);
  }
  if (description !== undefined && utf8Bytes(description) > descriptionBytesMax) {
    return tooLong("description", `${descriptionBytesMax} bytes of UTF-8`, `${utf8Bytes(description)}`);
  }
  if (activeForm && hasMoreCodePoints(activeForm, activeFormCharsMax)) {
    return tooLong("activeForm", `${activeFormCharsMax} characters`, `${[...activeForm].length}`);
  }
  if (metadata && utf8Bytes(JSON.stringify(metadata)) > metadataBytesMax) {
    return tooLong("metadata", `${metadataBytesMax} bytes of JSON`, `${utf8Bytes(JSON.stringify(metadata))}`);
  }
  return null;
}

function tooLong(field: string, limit: string, got: string): Refusal {
  return refuse("invalid_arguments", `${field} may have at most ${limit}: got ${got}`, { field });
}
