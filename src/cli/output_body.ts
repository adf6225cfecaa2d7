/** What a person is told of an output: the part of its body that the commands look at. */
import { z } from "zod";

const error = z.object({ code: z.string(), message: z.string().optional() });

const body = z.object({
  input_seq: z.int(),
  duplicate: z.boolean().optional(),
  /** Of `out.result`. */
  tool: z.string().optional(),
  result: z.object({
    content: z.array(z.object({ text: z.string() })),
    structuredContent: z.object({ error: error.optional() }),
    isError: z.boolean(),
  }).optional(),
  /** Of `out.event`: which input it answers. */
  kind: z.string().optional(),
  error: error.optional(),
  reset: z.unknown().optional(),
  agent: z.string().optional(),
  compact_id: z.string().optional(),
  /** Of the answer to a restore. */
  applied: z.number().optional(),
  snapshots: z.number().optional(),
  passed_over: z.record(z.string(), z.number()).optional(),
  /** Of `out.rejected`. */
  reason: z.string().nullish(),
  detail: z.string().optional(),
});
export type OutputBody = z.infer<typeof body>;

/** Null where the bytes are no output as this version writes them. */
export function readOutputBody(data: Uint8Array): OutputBody | null {
  return body.safeParse(jsonOf(data)).data ?? null;
}

function jsonOf(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(data));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
