/**
 * The two accounts of a NATS server in which the roles live: one for the stream, the bucket and who works on them, one
 * for everybody else. Permissions alone do not keep a publisher out of the stream: JetStream acknowledges to whatever
 * reply subject a message carries, in the publisher's account, with the rights of the server. Up to 2.10 a reply
 * subject of `$JS.API.STREAM.PURGE.…` empties a stream, and with any server one of `$KV.…` overwrites a checkpoint.
 * Between accounts the reply stays in the account that it came from.
 */
import type { Subjects } from "../log/subjects.ts";
import type { ServerBlock } from "./server_config.ts";

/** Keyed by `Role.account`. */
export const accountNames = { inside: "TASUKI", outside: "PODS" } as const;

/** `accounts` of a server's configuration, still without users. */
export function accountsConfig(subjects: Subjects) {
  const { inside, outside } = accountNames;
  const shared = [
    ["service", subjects.allInputs],
    ["service", subjects.allReads],
    ["stream", subjects.outputsOf("*")],
    ["stream", "_INBOX.>"],
  ] as const;
  return {
    accounts: {
      [inside]: {
        jetstream: "enabled",
        users: [],
        exports: shared.map(([kind, subject]) => ({ [kind]: subject, accounts: [outside] })),
      },
      [outside]: {
        users: [],
        imports: shared.map(([kind, subject]) => ({ [kind]: { account: inside, subject } })),
      },
    },
  } satisfies ServerBlock;
}
