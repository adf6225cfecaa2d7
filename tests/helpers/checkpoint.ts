/** The checkpoint as another client sees it. */
import { type Server, withConnection } from "./session_log.ts";
import { patiently, within } from "./within.ts";

/** Resolves when the covering record reaches the seq. */
export async function untilCovered(server: Server, seq: number): Promise<void> {
  await withConnection(server, async (nc) => {
    const bucket = await nc.jetstream(patiently).views.kv("TASKS_CHECKPOINT", { bindOnly: true });
    const records = await bucket.watch({ key: "covering" });
    const reached = async (): Promise<void> => {
      for await (const record of records) {
        if (record.operation === "PUT" && record.json<{ position: number }>().position >= seq) return;
      }
    };
    await within(reached(), `checkpoint up to seq ${seq}`);
  });
}

/** As if another worker led, which says no more. */
export async function takeLease(server: Server): Promise<void> {
  await withConnection(server, async (nc) => {
    const bucket = await nc.jetstream(patiently).views.kv("TASKS_CHECKPOINT", { bindOnly: true });
    await bucket.put("lease", JSON.stringify({ holder: "another" }));
  });
}
