/** The roles of SPEC §10: who each of them is, in which account it lives, and whose it may be. */
import {
  administratorPermissions,
  agentPermissions,
  compactWorkerPermissions,
  dashboardPermissions,
  harnessPermissions,
  type Names,
  type Permissions,
  podPermissions,
  workerPermissions,
} from "./permissions.ts";

/** The client of `src/nats` has this inbox prefix: no caller can have an answer sent there. */
const tasukiInbox = "_TASUKI_INBOX";

export interface Role {
  readonly about: string;
  /** `inside`: that of the stream and the bucket; `outside`: one that imports from it (`accounts.ts`). */
  readonly account: "inside" | "outside";
  /** Whether it is of one pod: it must be, may be, or is of all. */
  readonly pod: "must" | "may" | "never";
  /** The inbox prefix where none is asked for. `_` is no pod, so no two of these are alike. */
  inbox(pod: string): string;
  permissions(names: Names): Permissions;
}

export const roles = {
  pod: {
    about: "an agent runtime with a list of its own",
    account: "outside",
    pod: "must",
    inbox: (pod) => `_INBOX.${pod}`,
    permissions: podPermissions,
  },
  agent: {
    about: "one of several agents on a shared board",
    account: "outside",
    pod: "must",
    inbox: (pod) => `_INBOX.${pod}`,
    permissions: agentPermissions,
  },
  harness: {
    about: "who says that agents have exited",
    account: "outside",
    pod: "may",
    inbox: (pod) => `_INBOX._.harness.${tokenOf(pod)}`,
    permissions: harnessPermissions,
  },
  "compact-worker": {
    about: "who reads a list to summarise it",
    account: "outside",
    pod: "must",
    inbox: (pod) => `_INBOX._.compact.${pod}`,
    permissions: compactWorkerPermissions,
  },
  dashboard: {
    about: "who shows lists",
    account: "outside",
    pod: "may",
    inbox: (pod) => `_INBOX._.dashboard.${tokenOf(pod)}`,
    permissions: dashboardPermissions,
  },
  worker: {
    about: "tasuki serve",
    account: "inside",
    pod: "never",
    inbox: () => tasukiInbox,
    permissions: workerPermissions,
  },
  administrator: {
    about: "all other commands, and care of the stream",
    account: "inside",
    pod: "never",
    inbox: () => tasukiInbox,
    permissions: administratorPermissions,
  },
} as const satisfies { readonly [name: string]: Role };

export type RoleName = keyof typeof roles;

/** In an inbox `all` stands for all pods. */
function tokenOf(pod: string): string {
  return pod === "*" ? "all" : pod;
}
