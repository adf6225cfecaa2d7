/** Whatever comes in is answered or rejected, and never throws anything else. */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { decideInput } from "../../src/log/decide_input.ts";
import { Pod } from "../../src/log/pod.ts";
import { idFields, readInput } from "../../src/log/read_input.ts";
import { RejectedInput } from "../../src/log/rejected_input.ts";
import { restore } from "../../src/log/restore.ts";
import { readSnapshotText } from "../../src/log/snapshot_block.ts";
import { decide } from "../../src/tasks/decide.ts";
import { snapshotMarker } from "../../src/tasks/list_text.ts";
import { isRefusal } from "../../src/tasks/refusal.ts";
import { emptyStore } from "../../src/tasks/store.ts";
import { toolNames } from "../../src/tools/names.ts";
import { readCall } from "../../src/tools/read_call.ts";
import { anyBytes, oddArguments, oddText } from "../helpers/odd_arguments.ts";
import { entries } from "../helpers/pod_inputs.ts";
import { bytesOf } from "../helpers/memory_log.ts";
import { by, storeOf } from "../helpers/stores.ts";

const board = storeOf({ status: "inprogress", owner: "w" }, { blockedBy: [1] }, { status: "completed" });

const rest = fc.oneof(
  fc.constantFrom(...Object.keys(idFields), ...toolNames.map((tool) => `call.${tool}`)),
  oddText.map((text) => `call.${text}`),
  oddText,
);

/** JSON whose fields are those of an envelope, with anything in them. */
const envelope = fc.dictionary(
  fc.constantFrom(
    "v",
    "call_id",
    "compact_id",
    "event_id",
    "restore_id",
    "agent",
    "session",
    "arguments",
    "entries",
    "mode",
    "reason",
    "__proto__",
  ),
  fc.oneof(
    fc.constantFrom<unknown>(1, "c", "w", [], {}, "replace", null),
    oddText,
    oddArguments,
    fc.jsonValue(),
  ),
);

const content = fc.oneof(
  anyBytes,
  envelope.map(bytesOf),
  fc.json().map(bytesOf),
  envelope.map((body) => bytesOf(body).slice(0, -1)),
);

Deno.test("any bytes on any input are decided or rejected", () => {
  fc.assert(
    fc.property(rest, content, (rest, data) => {
      const pod = new Pod("p");
      pod.store = board;
      try {
        const decided = decideInput(pod, readInput(rest, data), { inputSeq: 1, atMs: 1 });
        if (!("isRepeat" in decided)) JSON.stringify(decided.output.body);
      } catch (error) {
        if (!(error instanceof RejectedInput)) throw error;
      }
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("any JSON as the arguments of any tool gives a decision or a refusal, the same for its text", () => {
  fc.assert(
    fc.property(fc.constantFrom(...toolNames), oddArguments, (tool, args) => {
      const outcome = (given: unknown) => {
        const call = readCall(tool, given);
        return isRefusal(call) ? call.code : decide(board, call.command, by("w"));
      };
      const json = JSON.stringify(args) ?? "null";
      const value = JSON.parse(json);
      // A text that is all of the arguments would be read once more than as a value.
      if (typeof value !== "string") assertEquals(outcome(json), outcome(value));
      else outcome(value);
    }),
    { numRuns: 8_000 },
  );
});

Deno.test("any entries restore a store that keeps the limits", () => {
  fc.assert(
    fc.property(entries, (entries) => {
      const restored = restore(emptyStore(), { entries, mode: "into_empty" }, 1);
      if (isRefusal(restored)) throw new Error(restored.message);
      const { applied, snapshots, passedOver } = restored;
      const counted = Object.values(passedOver).reduce((sum, count) => sum + count, applied + snapshots);
      assertEquals(counted <= entries.length, true);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("any text after the marker is a snapshot or none", () => {
  const block = fc.oneof(fc.json(), oddText, oddArguments.map((tasks) => JSON.stringify({ tasks: [tasks] })));
  fc.assert(
    fc.property(oddText, block, oddText, (before, block, after) => {
      readSnapshotText(`${snapshotMarker}${before}\`\`\`json\n${block}\n\`\`\`${after}`, 1);
    }),
    { numRuns: 2_000 },
  );
});
