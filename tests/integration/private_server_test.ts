import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import { connect } from "nats";
import { OperatorError } from "../../src/errors.ts";
import {
  findPrivateServer,
  openPrivateServer,
  type PrivateServer,
} from "../../src/private_server/private_server.ts";
import { freePort, portOf as portOfFolder, untilFree } from "../../src/private_server/loopback_port.ts";
import { readServerInfo } from "../../src/private_server/server_info.ts";
import { isRunning } from "../../src/private_server/server_process.ts";
import {
  readServerRecord,
  type ServerRecord,
  writeServerRecord,
} from "../../src/private_server/server_record.ts";
import { type DataFolder, makeDataFolder } from "../helpers/data_folder.ts";
import { LogLines } from "../helpers/log_lines.ts";
import { whenStandingStill } from "../helpers/pause_process.ts";
import { holdPrivateServer } from "../helpers/private_server_holder.ts";
import { testBinary } from "../helpers/test_binary.ts";
import { startTestServer } from "../helpers/test_server.ts";
import { patiently, within } from "../helpers/within.ts";

Deno.test("openPrivateServer() starts JetStream on loopback, in a folder for us alone", async () => {
  await using folder = await makeDataFolder();
  await using server = await open(folder.path);

  const info = await infoAt(portOf(server));
  const record = await recordOf(folder.path);
  assertEquals(server.isAdopted, false);
  assertEquals(info, { name: record.name, version: info.version, hasJetStream: true });
  assertEquals(record.port, portOf(server));
  const log = await Deno.readTextFile(join(folder.path, "nats-server.log"));
  assertMatch(log, new RegExp(`Listening for client connections on 127\\.0\\.0\\.1:${record.port}\n`));
  assertEquals((await Deno.stat(folder.path)).mode! & 0o777, 0o700);
  assertEquals(await Deno.readTextFile(join(folder.path, ".gitignore")), "*\n");
});

Deno.test("openPrivateServer() leaves the rights of a folder that was there as they are", async () => {
  await using folder = await makeDataFolder();
  await Deno.mkdir(folder.path, { mode: 0o755 });
  await using _server = await open(folder.path);

  assertEquals((await Deno.stat(folder.path)).mode! & 0o777, 0o755);
  assertEquals(await exists(join(folder.path, ".gitignore")), false);
});

Deno.test("openPrivateServer() says where it listens, where its data is, and the end", async () => {
  await using folder = await makeDataFolder();
  const said: string[] = [];
  const server = await open(folder.path, { say: (message) => said.push(message) });
  await server[Symbol.asyncDispose]();

  assertEquals(said, [
    `Started nats-server at ${server.url} with its data in ${folder.path}`,
    `Stopped nats-server at ${server.url}`,
  ]);
});

Deno.test("PrivateServer stops the server when disposed; the next has its port", async () => {
  await using folder = await makeFolderWithFreePort();
  const first = await open(folder.path);
  const { pid, name } = await recordOf(folder.path);
  await first[Symbol.asyncDispose]();

  assertEquals(await readServerInfo(portOf(first)), null);
  assertEquals(await readServerRecord(folder.path), null);
  assertEquals(await isRunning({ pid, marks: [name] }), false);

  await using second = await open(folder.path);
  assertEquals(second.url, first.url);
  assertEquals(second.isAdopted, false);
});

Deno.test("openPrivateServer() adopts the server of a worker killed with -9", async () => {
  await using folder = await makeDataFolder();
  await using starter = await holdPrivateServer(folder.path);
  const before = await recordOf(folder.path);
  await starter.signalGroup("SIGKILL");

  const adopter = await open(folder.path, { binary: neverAsked });
  assertEquals(adopter.isAdopted, true);
  assertEquals(adopter.url, starter.url);
  assertEquals(await recordOf(folder.path), before);

  await adopter[Symbol.asyncDispose]();
  assertEquals(await readServerInfo(portOf(adopter)), null);
});

Deno.test("openPrivateServer() starts a server that the terminal's Ctrl-C does not reach", async () => {
  await using folder = await makeDataFolder();
  await using starter = await holdPrivateServer(folder.path);
  await starter.signalGroup("SIGINT");

  assertEquals(await findPrivateServer(folder.path), starter.url);
});

Deno.test("openPrivateServer() replaces a dead server, keeping its port and its data", async () => {
  await using folder = await makeDataFolder();
  await using starter = await holdPrivateServer(folder.path);
  await storeMessage(starter.url);
  await starter.signalGroup("SIGKILL");
  await killServer(folder.path);
  assertEquals(await findPrivateServer(folder.path), null);

  await using server = await open(folder.path);
  assertEquals(server.isAdopted, false);
  assertEquals(server.url, starter.url);
  assertEquals(await countMessages(server.url), 1);
});

Deno.test("openPrivateServer() and the worker whose server died agree on one new server", async () => {
  await using folder = await makeDataFolder();
  const first = await open(folder.path);
  await killServer(folder.path);
  const second = await open(folder.path);
  assertEquals(second.url, first.url);

  await second[Symbol.asyncDispose]();
  assertEquals(await findPrivateServer(folder.path), first.url);
  await first[Symbol.asyncDispose]();
  assertEquals(await readServerInfo(portOf(second)), null);
});

Deno.test("PrivateServer starts a server that died again, with its port and its data, and says so", async () => {
  await using folder = await makeDataFolder();
  const log = new LogLines();
  const server = await open(folder.path, { say: log.info });
  await storeMessage(server.url);
  await killServer(folder.path);
  await log.logged(`nats-server at ${server.url} was started again`);
  assertEquals(await countMessages(server.url), 1);
  const { pid, name } = await recordOf(folder.path);
  await server[Symbol.asyncDispose]();

  assertEquals(await isRunning({ pid, marks: [name] }), false);
  assertEquals(log.all.map(({ msg }) => msg), [
    `Started nats-server at ${server.url} with its data in ${folder.path}`,
    `nats-server at ${server.url} has ended`,
    `nats-server at ${server.url} was started again`,
    `Stopped nats-server at ${server.url}`,
  ]);
});

Deno.test("of the workers whose server died one starts it again, and the others have the same", async () => {
  await using folder = await makeDataFolder();
  const log = new LogLines();
  await using one = await open(folder.path, { say: log.info });
  await using other = await open(folder.path, { say: log.info });
  await killServer(folder.path);
  await log.logged(`nats-server at ${one.url} was started again`);
  await log.logged(`nats-server at ${other.url} was started again by another worker`);

  assertEquals(await findPrivateServer(folder.path), one.url);
});

Deno.test("PrivateServer is lost where its dead server cannot be started again, and stops nothing then", async () => {
  await using folder = await makeDataFolder();
  const said: string[] = [];
  const binaries = [testBinary, () => Promise.reject(new OperatorError("there is none any more"))];
  const lost = Promise.withResolvers<unknown>();
  const server = await open(folder.path, {
    binary: () => binaries.shift()!(),
    say: (message) => said.push(message),
    lost: lost.resolve,
  });
  await killServer(folder.path);
  assertEquals(
    String(await within(lost.promise, "the server is lost")),
    "OperatorError: there is none any more",
  );
  await server[Symbol.asyncDispose]();

  assertEquals(said, [
    `Started nats-server at ${server.url} with its data in ${folder.path}`,
    `nats-server at ${server.url} has ended`,
  ]);
  assertEquals(await readServerRecord(folder.path), null);
});

Deno.test("PrivateServer is lost where its server dies for the fifth time within a minute", async () => {
  await using folder = await makeDataFolder();
  const log = new LogLines();
  const lost = Promise.withResolvers<unknown>();
  await using server = await open(folder.path, { say: log.info, lost: lost.resolve });
  for (let restarts = 0; restarts < 4; restarts++) {
    await killServer(folder.path);
    await log.logged(`nats-server at ${server.url} was started again`, restarts);
  }
  await killServer(folder.path);

  assertEquals(
    String(await within(lost.promise, "the server is lost")),
    `OperatorError: Cannot keep nats-server running: it must stay up, see "${
      join(folder.path, "nats-server.log")
    }": it ended 5 times within 60 s`,
  );
});

Deno.test("PrivateServer is lost where another program took the port of its dead server", async () => {
  await using folder = await makeDataFolder();
  const lost = Promise.withResolvers<unknown>();
  const portIsTaken = Promise.withResolvers<void>();
  const binaries = [testBinary, () => portIsTaken.promise.then(testBinary)];
  await using server = await open(folder.path, { binary: () => binaries.shift()!(), lost: lost.resolve });
  await killServer(folder.path);
  using _other = await listenAt(portOf(server));
  portIsTaken.resolve();

  const moved =
    /^OperatorError: Cannot go on with nats-server: it must be at nats:.*, where another program is now/;
  assertMatch(String(await within(lost.promise, "the server is lost")), moved);
});

Deno.test("openPrivateServer() adopts nothing when a record's pid and port are others' now", async () => {
  await using folder = await makeDataFolder();
  await using other = await startTestServer();
  await Deno.mkdir(folder.path);
  for (const pid of [other.pid, Deno.pid]) {
    writeServerRecord(folder.path, { name: "tasuki-of-yesterday", port: other.port, pid });
    assertEquals(await findPrivateServer(folder.path), null);

    await using server = await open(folder.path);
    assertEquals(server.isAdopted, false);
    assertNotEquals(server.url, other.url);
  }
  assertEquals((await infoAt(other.port)).hasJetStream, true);
});

Deno.test("openPrivateServer() starts a server of its own in the copy of a folder", async () => {
  await using folder = await makeDataFolder();
  await using copy = await makeDataFolder();
  await using server = await open(folder.path);
  await Deno.mkdir(copy.path);
  await Deno.copyFile(join(folder.path, "server.json"), join(copy.path, "server.json"));

  assertEquals(await findPrivateServer(copy.path), null);
  await using ofCopy = await open(copy.path);
  assertEquals(ofCopy.isAdopted, false);
  assertNotEquals(ofCopy.url, server.url);
});

Deno.test("openPrivateServer() adopts a server whose pid was not recorded any more", async () => {
  await using folder = await makeDataFolder();
  await using starter = await holdPrivateServer(folder.path);
  await starter.signalGroup("SIGKILL");
  writeServerRecord(folder.path, { ...await recordOf(folder.path), pid: null });

  await using server = await open(folder.path, { binary: neverAsked });
  assertEquals(server.isAdopted, true);
  assertEquals(server.url, starter.url);
});

Deno.test("openPrivateServer() starts one where a start was recorded but did not happen", async () => {
  await using folder = await makeDataFolder();
  await Deno.mkdir(folder.path);
  await Deno.writeTextFile(join(folder.path, "nats-server.pid"), "");
  writeServerRecord(folder.path, { name: "tasuki-of-yesterday", port: 29_999, pid: null });

  await using server = await open(folder.path);
  assertEquals(server.isAdopted, false);
});

Deno.test("openPrivateServer() starts one server for workers that come at once", async () => {
  await using folder = await makeDataFolder();
  const processes = await Promise.all(Array.from({ length: 4 }, () => holdPrivateServer(folder.path)));
  await using all = new AsyncDisposableStack();
  processes.forEach((process) => all.use(process));

  assertEquals(processes.filter((process) => !process.isAdopted).length, 1);
  assertEquals(new Set(processes.map((process) => process.url)).size, 1);
});

Deno.test("openPrivateServer() starts one server for two calls in one process", async () => {
  await using folder = await makeDataFolder();
  const log = new LogLines();
  const waiting = `Waiting for another worker that starts or stops the server of ${folder.path}`;
  // Whichever of them comes first goes on only when the other has come.
  const binary = () => log.logged(waiting).then(testBinary);
  const [first, second] = await Promise.all(
    [1, 2].map(() => open(folder.path, { binary, say: log.info })),
  );
  assert(first && second);
  await using _first = first;
  await using _second = second;

  assertEquals([first.isAdopted, second.isAdopted].sort(), [false, true]);
  assertEquals(log.all.map(({ msg }) => msg), [
    waiting,
    `Started nats-server at ${first.url} with its data in ${folder.path}`,
    `Adopted nats-server at ${first.url} with its data in ${folder.path}`,
  ]);
});

Deno.test("PrivateServer stays up until the last worker leaves, whoever started it", async () => {
  await using folder = await makeDataFolder();
  await using starter = await holdPrivateServer(folder.path);
  await using adopter = await holdPrivateServer(folder.path);
  await using last = await holdPrivateServer(folder.path);

  await starter.leave();
  assertEquals(await findPrivateServer(folder.path), starter.url);
  await adopter.signalGroup("SIGKILL");
  assertEquals(await findPrivateServer(folder.path), starter.url);
  await last.leave();
  assertEquals(await findPrivateServer(folder.path), null);
  assertEquals(await readServerInfo(portOf(starter)), null);
});

Deno.test("PrivateServer stops also a server that hangs", async () => {
  await using folder = await makeDataFolder();
  const server = await open(folder.path);
  const { pid, name } = await recordOf(folder.path);
  Deno.kill(pid, "SIGSTOP");
  await whenStandingStill(pid);
  assertEquals(await readServerInfo(portOf(server)), null);

  await server[Symbol.asyncDispose]();
  assertEquals(await isRunning({ pid, marks: [name] }), false);
});

Deno.test("findPrivateServer() waits for a server that runs and does not answer yet", async () => {
  await using folder = await makeDataFolder();
  await using server = await open(folder.path);
  const { pid, port } = await recordOf(folder.path);
  Deno.kill(pid, "SIGSTOP");
  await whenStandingStill(pid);
  const finding = findPrivateServer(folder.path);
  // It gives up one question.
  assertEquals(await readServerInfo(port), null);
  Deno.kill(pid, "SIGCONT");

  assertEquals(await finding, server.url);
});

Deno.test("PrivateServer stops the server of a folder that was removed", async () => {
  await using folder = await makeDataFolder();
  const server = await open(folder.path);
  await Deno.remove(folder.path, { recursive: true });

  await server[Symbol.asyncDispose]();
  assertEquals(await readServerInfo(portOf(server)), null);
});

Deno.test("openPrivateServer() takes a relative path, and one with spaces and quotes", async () => {
  await using folder = await makeDataFolder(`it's "my" data $HOME \\ é`);
  await using relative = await holdPrivateServer(`./it's "my" data $HOME \\ é`, folder.parent);
  await using absolute = await open(folder.path, { binary: neverAsked });

  assertEquals(absolute.url, relative.url);
  assertEquals((await Deno.stat(join(folder.path, "jetstream"))).isDirectory, true);
});

Deno.test("openPrivateServer() finds one server by all the paths of its folder", async () => {
  await using folder = await makeDataFolder();
  await using server = await open(folder.path);
  const link = join(folder.parent, "link");
  await Deno.symlink(folder.path, link);

  assertEquals(await findPrivateServer(link), server.url);
  await using adopted = await open(link, { binary: neverAsked });
  assertEquals(adopted.isAdopted, true);
});

Deno.test("openPrivateServer() explains why a server does not stay up", async () => {
  await using folder = await makeDataFolder();
  await Deno.mkdir(folder.path);
  await Deno.writeTextFile(join(folder.path, "jetstream"), "a file where a folder must be");
  const error = await assertRejects(() => open(folder.path), OperatorError);
  assertMatch(error.message, /^Cannot start .*nats-server: it must stay up, see ".*\.log": got ".*\[FTL\]/);

  await Deno.remove(join(folder.path, "jetstream"));
  await using server = await open(folder.path);
  assertEquals(server.isAdopted, false);
});

Deno.test("openPrivateServer() does not guess when server.json is no record", async () => {
  await using folder = await makeDataFolder();
  await Deno.mkdir(folder.path);
  await Deno.writeTextFile(join(folder.path, "server.json"), "{}");
  const error = await assertRejects(() => open(folder.path), OperatorError);
  assertMatch(error.message, /^Cannot read ".*server\.json": it must hold name, port and pid: got "\{\}"$/);
  await Deno.remove(join(folder.path, "server.json"));
});

Deno.test("openPrivateServer() refuses a path that is no folder", async () => {
  await using folder = await makeDataFolder();
  await Deno.writeTextFile(folder.path, "");
  const error = await assertRejects(() => open(folder.path), OperatorError);
  assertMatch(error.message, /^Cannot use ".*data" for a private nats-server: it must be a folder /);
  await Deno.remove(folder.path);
});

Deno.test("findPrivateServer() is null where there is no folder, and where none was started", async () => {
  await using folder = await makeDataFolder();
  assertEquals(await findPrivateServer(folder.path), null);
  await Deno.mkdir(folder.path);
  assertEquals(await findPrivateServer(folder.path), null);
});

function open(
  dataDir: string,
  { binary = testBinary, say = (_: string): unknown => null, lost = notExpected } = {},
): Promise<PrivateServer> {
  return openPrivateServer({ dataDir, binary, say, lost });
}

function notExpected(error: unknown): void {
  throw error;
}

function neverAsked(): Promise<string> {
  throw new Error("a server is started that should be adopted");
}

/** One whose own port nobody has: its servers get that. */
async function makeFolderWithFreePort(): Promise<DataFolder> {
  for (;;) {
    const folder = await makeDataFolder();
    const port = await portOfFolder(folder.path);
    if (freePort([port]) === port) return folder;
    await folder[Symbol.asyncDispose]();
  }
}

/** What the server at this port says, as soon as it says anything. */
async function infoAt(port: number) {
  const asking = async () => {
    for (;;) {
      const info = await readServerInfo(port);
      if (info !== null) return info;
    }
  };
  return await within(asking(), `what the server at ${port} says`);
}

function portOf({ url }: { url: string }): number {
  return Number(new URL(url).port);
}

async function recordOf(dataDir: string): Promise<ServerRecord & { pid: number }> {
  const record = await readServerRecord(dataDir);
  assert(record !== null && record.pid !== null);
  return { ...record, pid: record.pid };
}

async function killServer(dataDir: string): Promise<void> {
  const { pid, name } = await recordOf(dataDir);
  Deno.kill(pid, "SIGKILL");
  while (await isRunning({ pid, marks: [name] })) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A server that has just been killed may hold its port for a moment. */
async function listenAt(port: number): Promise<Deno.Listener> {
  await untilFree(port, 5_000);
  return Deno.listen({ hostname: "127.0.0.1", port });
}

async function exists(path: string): Promise<boolean> {
  const names = (await Array.fromAsync(Deno.readDir(join(path, "..")))).map(({ name }) => name);
  return names.some((name) => path.endsWith(`/${name}`));
}

async function storeMessage(url: string): Promise<void> {
  const nc = await connect({ servers: url });
  await (await nc.jetstreamManager(patiently)).streams.add({ name: "KEPT", subjects: ["kept"] });
  await nc.jetstream(patiently).publish("kept", "one");
  await nc.close();
}

async function countMessages(url: string): Promise<number> {
  const nc = await connect({ servers: url });
  const { state } = await (await nc.jetstreamManager(patiently)).streams.info("KEPT");
  await nc.close();
  return state.messages;
}
