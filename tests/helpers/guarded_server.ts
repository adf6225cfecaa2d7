/** A server with the accounts and the permissions that `acl` prints. */
import { accountsConfig } from "../../src/acl/accounts.ts";
import type { Names, Permissions } from "../../src/acl/permissions.ts";
import { type RoleName, roles } from "../../src/acl/roles.ts";
import { type ServerBlock, serverConfig } from "../../src/acl/server_config.ts";
import { Subjects } from "../../src/log/subjects.ts";
import { startTestServer, type TestServer } from "./test_server.ts";

export interface GuardedUser {
  /** Its password, too. */
  readonly name: string;
  readonly role: RoleName;
  readonly pod?: string;
  /** By default those of its role. */
  readonly permissions?: Permissions;
}

/** The names that the tests use, as `acl` uses them without options. */
export function namesOf(role: RoleName, pod = "*"): Names {
  const subjects = new Subjects("tasks");
  const inbox = roles[role].inbox(pod);
  return {
    subjects,
    stream: "TASKS",
    bucket: "TASKS_CHECKPOINT",
    pod,
    inbox,
    isShortened: false,
    isMaker: false,
  };
}

export function permissionsOf(role: RoleName, pod?: string): Permissions {
  return roles[role].permissions(namesOf(role, pod));
}

/** Whoever comes without a name may do everything in the account of the stream. */
export function startGuardedServer(users: readonly GuardedUser[]): Promise<TestServer> {
  const { accounts: { TASUKI, PODS } } = accountsConfig(new Subjects("tasks"));
  const of = (account: "inside" | "outside") =>
    users.filter(({ role }) => roles[role].account === account).map(userBlock);
  const accounts = {
    TASUKI: { ...TASUKI, users: [{ user: "tester", password: "tester" }, ...of("inside")] },
    PODS: { ...PODS, users: of("outside") },
  };
  return startTestServer({ extraConfig: serverConfig({ accounts, no_auth_user: "tester" }) });
}

function userBlock({ name, role, pod, permissions = permissionsOf(role, pod) }: GuardedUser): ServerBlock {
  const { publish, subscribe } = permissions;
  return {
    user: name,
    password: name,
    permissions: { publish: { allow: publish }, subscribe: { allow: subscribe } },
  };
}

/** What the client is told to log in as this user. */
export function loginOf({ name, role, pod = "*" }: GuardedUser) {
  return { user: name, pass: name, inboxPrefix: roles[role].inbox(pod) };
}

/** What the server has denied this user, as `Publish to …` and `Subscription to …`, in order. */
export async function deniedTo(server: TestServer, { name }: GuardedUser): Promise<readonly string[]> {
  const lines = (await server.log()).split("\n").filter((line) =>
    new RegExp(`[/"]${name}"|user:${name}"`).test(line)
  );
  return lines.flatMap((line) => {
    const [, what, kind, subject] =
      /(Publish|Subscription) Violation.*?(Subject|Reply) "([^"]*)"/.exec(line) ?? [];
    return what === undefined ? [] : [`${what} ${kind === "Reply" ? "reply " : ""}${subject}`];
  });
}
