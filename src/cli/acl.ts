/** `acl`: what a NATS server has to allow whom. */
import { accountNames, accountsConfig } from "../acl/accounts.ts";
import type { Permissions } from "../acl/permissions.ts";
import { type Role, roles } from "../acl/roles.ts";
import { serverConfig } from "../acl/server_config.ts";
import { UsageError } from "../errors.ts";
import type { Command, Given } from "./command.ts";
import { didYouMean } from "./did_you_mean.ts";
import { podToken, requiredArgument } from "./given_values.ts";
import type { World } from "./ports.ts";
import { jsonForTerminal } from "./terminal_text.ts";

const accounts = "accounts";
const roleNames = [...Object.keys(roles), accounts];

export const acl: Command = {
  name: "acl",
  form: "<role>",
  surplusOption: "pod",
  about: [
    "Prints the permissions of a role for the configuration of a nats-server.",
    `The roles are ${roleNames.join(", ")}: the last prints the two accounts that the others live in.`,
  ],
  options: {
    pod: { type: "string", value: "<id>", description: "pod that a pod, agent or compact-worker belongs to" },
    inbox: {
      type: "string",
      value: "<subject>",
      description: "inbox prefix of its client, below _INBOX; by default one of the role's own",
    },
    create: { type: "boolean", description: "let the worker make stream and bucket where they are missing" },
    json: { type: "boolean", description: "JSON instead of the server's own syntax, which may be JSON too" },
  },
  async run(world, given) {
    const name = requiredArgument(given, 0);
    const block = name === accounts
      ? { about: `# Put users into both: tasuki acl <role>\n`, content: accountsConfig(world.subjects) }
      : roleBlock(world, given, name);
    const text = given.isSet("json")
      ? `${jsonForTerminal(block.content, 2)}\n`
      : block.about + serverConfig(block.content);
    await world.out.write(text);
    return 0;
  },
};

function roleBlock(world: World, given: Given, name: string) {
  const role = roleOf(name);
  const pod = podOf(given, name, role);
  const inbox = inboxOf(given, name, role, pod);
  const { stream, bucket, keepAgeMs, keepMessages } = world.config;
  const permissions = role.permissions({
    subjects: world.subjects,
    stream,
    bucket,
    pod,
    inbox,
    isShortened: keepAgeMs > 0 || keepMessages > 0,
    isMaker: given.isSet("create"),
  });
  const whose = pod === "*" ? "" : ` of ${pod}`;
  const about = `# ${name}${whose}: ${role.about}. A user of the account ${accountNames[role.account]}\n` +
    `# (tasuki acl ${accounts}), whose client has the inbox prefix ${inbox}\n`;
  return { about, content: { permissions: listsOf(permissions) } };
}

function listsOf({ publish, subscribe }: Permissions) {
  return { publish: { allow: publish }, subscribe: { allow: subscribe } };
}

function roleOf(name: string): Role {
  const found = Object.entries(roles).find(([known]) => known === name);
  if (found) return found[1];
  const rule = `the roles are ${roleNames.join(", ")}`;
  throw new UsageError(
    `Cannot print permissions: ${rule}: got ${JSON.stringify(name)}${didYouMean(name, roleNames)}`,
  );
}

function podOf(given: Given, name: string, { pod }: Role): string {
  const text = given.text("pod");
  if (text === null && pod !== "must") return "*";
  if (text === null) throw new UsageError(`Cannot print permissions: a ${name} needs --pod <id>`);
  if (pod !== "never") return podToken(text);
  throw new UsageError(`Cannot print permissions: a ${name} is for all pods: got --pod ${text}`);
}

function inboxOf(given: Given, name: string, role: Role, pod: string): string {
  const text = given.text("inbox");
  if (text === null) return role.inbox(pod);
  if (role.account === "outside" && /^_INBOX(?:\.[\w-]{1,64}){1,8}$/.test(text)) return text;
  const rule = role.account === "inside"
    ? `the inbox of a ${name} is ${role.inbox(pod)}`
    : "--inbox is _INBOX and tokens of A-Z a-z 0-9 _ - with dots between";
  throw new UsageError(`Cannot print permissions: ${rule}: got ${JSON.stringify(text)}`);
}
