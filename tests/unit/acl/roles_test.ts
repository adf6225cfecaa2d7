import { assertEquals } from "@std/assert";
import type { Names } from "../../../src/acl/permissions.ts";
import { type RoleName, roles } from "../../../src/acl/roles.ts";
import { Subjects } from "../../../src/log/subjects.ts";

function permissionsOf(role: RoleName, names: Partial<Names> = {}) {
  const { pod = "*" } = names;
  const { inbox, permissions } = roles[role];
  return permissions({
    subjects: new Subjects("acme.tasks"),
    stream: "LOG",
    bucket: "SAVED",
    pod,
    inbox: inbox(pod),
    isShortened: false,
    isMaker: false,
    ...names,
  });
}

Deno.test("permissions of a pod are its own lanes, under the configured prefix", () => {
  assertEquals(permissionsOf("pod", { pod: "p" }), {
    publish: [
      "acme.tasks.p.in.call.*",
      "acme.tasks.p.in.compact.*",
      "acme.tasks.p.in.session.*",
      "acme.tasks.p.in.agent.exited",
      "acme.tasks.p.read.*",
    ],
    subscribe: ["acme.tasks.p.out.>", "_INBOX.p.>"],
  });
});

Deno.test("permissions of an agent are those of a pod without its session and without exits", () => {
  const pod = permissionsOf("pod", { pod: "p" });
  assertEquals(permissionsOf("agent", { pod: "p" }), {
    publish: pod.publish.filter((subject) => !/\.in\.(session|agent)\./.test(subject)),
    subscribe: pod.subscribe,
  });
});

Deno.test("permissions of who watches and who cleans up are of all pods, or of one", () => {
  assertEquals(permissionsOf("harness"), {
    publish: ["acme.tasks.*.in.agent.exited"],
    subscribe: ["acme.tasks.*.out.event", "_INBOX._.harness.all.>"],
  });
  assertEquals(permissionsOf("dashboard", { pod: "p" }), {
    publish: ["acme.tasks.p.read.*"],
    subscribe: ["acme.tasks.p.out.>", "_INBOX._.dashboard.p.>"],
  });
  assertEquals(permissionsOf("compact-worker", { pod: "p" }), {
    publish: ["acme.tasks.p.read.*"],
    subscribe: ["_INBOX._.compact.p.>"],
  });
});

Deno.test("permissions of the worker name its stream and its bucket, and change neither", () => {
  assertEquals(permissionsOf("worker"), {
    publish: [
      "acme.tasks.*.out.>",
      "_INBOX.>",
      "_R_.>",
      "$JS.API.STREAM.INFO.LOG",
      "$JS.API.STREAM.MSG.GET.LOG",
      "$JS.API.CONSUMER.CREATE.LOG",
      "$JS.API.CONSUMER.MSG.NEXT.LOG.*",
      "$JS.API.CONSUMER.DELETE.LOG.*",
      "$JS.API.STREAM.INFO.KV_SAVED",
      "$JS.API.STREAM.MSG.GET.KV_SAVED",
      "$KV.SAVED.>",
    ],
    subscribe: ["acme.tasks.*.read.*", "_TASUKI_INBOX.>"],
  });
});

Deno.test("no role but the worker may publish outputs or checkpoints, or everything", () => {
  const names = Object.keys(roles).filter((name) => name !== "worker");
  const loose = Object.entries(roles).filter(([name]) => name !== "worker").flatMap(([name, role]) =>
    role.permissions({ ...everything, inbox: role.inbox("p") }).publish
      .filter((subject) => /\.out\.|^\$KV|^>|^acme\.tasks\.>|^\$JS\.API\.>/.test(subject))
      .map((subject) => `${name}: ${subject}`)
  );
  assertEquals([names.length, loose], [6, []]);
});

const everything = {
  subjects: new Subjects("acme.tasks"),
  stream: "LOG",
  bucket: "SAVED",
  pod: "p",
  isShortened: true,
  isMaker: true,
};

Deno.test("inboxes of two roles, or of two pods, are never the same", () => {
  const outside = Object.values(roles).filter(({ account }) => account === "outside");
  const inboxes = outside.flatMap(({ inbox }) => [inbox("a"), inbox("harness"), inbox("_-")]);
  // A pod and the agents on it are of one board.
  assertEquals(new Set(inboxes).size, inboxes.length - 3);
});
