/**
 * Three real nats-servers that form one JetStream cluster on loopback. Their connections with one another go through
 * this process, so that a test can cut one of them off while its clients still reach it.
 */
import type { NatsConnection, StreamInfo } from "nats";
import { freePort } from "../../src/private_server/loopback_port.ts";
import { withConnection } from "./session_log.ts";
import { TcpLink } from "./tcp_link.ts";
import { startTestServer, type TestServer } from "./test_server.ts";
import { within } from "./within.ts";

const serversCount = 3;
const readyMsMax = 40_000;
const pollMs = 100;
const requestMsMax = 1_000;
/** Nobody listens there: servers that hear of one another find no way but the links. */
const closedPort = 1;

export class TestCluster implements AsyncDisposable {
  readonly servers: readonly TestServer[];
  /** Keyed by "from to", the places of two servers. */
  readonly #links: ReadonlyMap<string, TcpLink>;
  readonly #opened: AsyncDisposableStack;

  private constructor(
    servers: readonly TestServer[],
    links: ReadonlyMap<string, TcpLink>,
    opened: AsyncDisposableStack,
  ) {
    this.servers = servers;
    this.#links = links;
    this.#opened = opened;
  }

  /** Resolves when the servers have found one another. @throws {Error} when they do not in time */
  static async start(): Promise<TestCluster> {
    await using opening = new AsyncDisposableStack();
    const places = Array.from({ length: serversCount }, (_, place) => place);
    const ports = places.map(() => freePort());
    const links = new Map(
      places.flatMap((from) =>
        ports.flatMap((port, to) =>
          from === to ? [] : [[`${from} ${to}`, opening.use(new TcpLink(port))] as const]
        )
      ),
    );
    const servers = await Promise.all(places.map(async (place) => {
      const routes = places.flatMap((to) => links.get(`${place} ${to}`)?.port ?? []);
      return opening.use(await startTestServer({ extraConfig: clusterConfig(ports[place] ?? 0, routes) }));
    }));
    const cluster = new TestCluster(servers, links, opening.move());
    try {
      await cluster.ready();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Resolves when every server answers for the whole cluster. */
  async ready(): Promise<void> {
    await Promise.all(
      this.servers.map((server) =>
        withConnection(
          server,
          (nc) =>
            until(`server ${this.servers.indexOf(server)} answers for the cluster`, async () => {
              await (await nc.jetstreamManager({ timeout: requestMsMax })).getAccountInfo();
              return true;
            }),
        )
      ),
    );
  }

  /** Whether its servers are older than this version. */
  async isBefore(wantedMajor: number, wantedMinor: number): Promise<boolean> {
    return await withConnection(this.serverBesides(), (nc) => {
      const [major = 0, minor = 0] = (nc.info?.version ?? "").split(".").map(Number);
      return Promise.resolve(major < wantedMajor || (major === wantedMajor && minor < wantedMinor));
    });
  }

  /** A server that is none of these. */
  serverBesides(...others: readonly TestServer[]): TestServer {
    const found = this.servers.find((server) => !others.includes(server));
    if (!found) throw new Error("there is no other server");
    return found;
  }

  /** From now on the server reaches no other, nor they it; its clients notice nothing of that. */
  isolate(server: TestServer): void {
    for (const link of this.#linksOf(server)) link.cut();
  }

  rejoin(server: TestServer): void {
    for (const link of this.#linksOf(server)) link.mend();
  }

  #linksOf(server: TestServer): readonly TcpLink[] {
    const place = `${this.servers.indexOf(server)}`;
    return [...this.#links].filter(([key]) => key.split(" ").includes(place)).map(([, link]) => link);
  }

  /** The server that leads the stream, as soon as there is one, by the word of another server where `not` is given. */
  async leaderOf(stream: string, not?: TestServer): Promise<TestServer> {
    const asked = not ? this.serverBesides(not) : this.serverBesides();
    return await withConnection(asked, async (nc) => {
      let leader: TestServer | undefined;
      await until(`${stream} has a leader`, async () => {
        const name = (await infoOf(nc, stream)).cluster?.leader;
        leader = this.servers.find((server) => server.name === name && server !== not);
        return leader !== undefined;
      });
      if (leader === undefined) throw new Error(`${stream} has no leader`);
      return leader;
    });
  }

  /** Resolves when every server has all that the stream's leader has. */
  async whenReplicated(stream: string): Promise<void> {
    await withConnection(this.serverBesides(), (nc) =>
      until(`${stream} is on every server`, async () => {
        const replicas = (await infoOf(nc, stream)).cluster?.replicas ?? [];
        return replicas.length === serversCount - 1 && replicas.every(({ current, lag }) => current && !lag);
      }));
  }

  /** Has the leader step down until this server leads the stream. */
  async handOver(stream: string, server: TestServer): Promise<void> {
    await withConnection(server, (nc) =>
      until(`${server.name} leads ${stream}`, async () => {
        if ((await infoOf(nc, stream)).cluster?.leader === server.name) return true;
        await nc.request(`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`, "", { timeout: requestMsMax });
        return false;
      }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}

function clusterConfig(port: number, routes: readonly number[]): string {
  const addresses = routes.map((route) => `"nats://127.0.0.1:${route}"`).join(", ");
  return `cluster {
    name: test
    listen: "127.0.0.1:${port}"
    advertise: "127.0.0.1:${closedPort}"
    routes: [${addresses}]
  }\n`;
}

async function infoOf(nc: NatsConnection, stream: string): Promise<StreamInfo> {
  return await (await nc.jetstreamManager({ timeout: requestMsMax, checkAPI: false })).streams.info(stream);
}

/** Asks until the answer is yes; an error is a no. @throws {Error} when it does not become yes in time */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  let isWanted = true;
  const asking = async (): Promise<void> => {
    while (isWanted && !await isSo().catch(() => false)) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  };
  try {
    await within(asking(), what, readyMsMax);
  } finally {
    isWanted = false;
  }
}
