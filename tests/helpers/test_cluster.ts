/**
 * Three real nats-servers that form one JetStream cluster on loopback. Their connections with one another go through
 * this process, so that a test can cut one of them off while its clients still reach it.
 */
import type { NatsConnection, StreamInfo, StreamState } from "nats";
import { withConnection } from "./session_log.ts";
import { TcpLink } from "./tcp_link.ts";
import { reservePort, startTestServer, type TestServer } from "./test_server.ts";
import { within } from "./within.ts";

const serversCount = 3;
const startsMax = 3;
const pollMs = 100;
const requestMsMax = 1_000;
/** Nobody listens there: servers that hear of one another find no way but the links. */
const closedPort = 1;

/** What is read of a server's `/jsz`. */
interface StreamDetail {
  readonly cluster: { readonly leader?: string };
  readonly state: Pick<StreamState, "first_seq" | "last_seq" | "messages" | "bytes">;
}

export class TestCluster implements AsyncDisposable {
  readonly servers: readonly TestServer[];
  /** Where each server tells what it has itself, in the order of the servers. */
  readonly #monitorPorts: readonly number[];
  /** Keyed by "from to", the places of two servers. */
  readonly #links: ReadonlyMap<string, TcpLink>;
  readonly #opened: AsyncDisposableStack;

  private constructor(
    servers: readonly TestServer[],
    monitorPorts: readonly number[],
    links: ReadonlyMap<string, TcpLink>,
    opened: AsyncDisposableStack,
  ) {
    this.servers = servers;
    this.#monitorPorts = monitorPorts;
    this.#links = links;
    this.#opened = opened;
  }

  /**
   * Resolves when the servers have found one another.
   *
   * @param canBeCut whether their connections with one another go through this process
   * @throws {Error} when they do not in time
   */
  static async start(binary: string, { canBeCut = true } = {}): Promise<TestCluster> {
    for (let starts = 1;; starts++) {
      try {
        return await TestCluster.#startOnce(binary, canBeCut);
      } catch (error) {
        // Others may have taken a port meanwhile.
        if (starts === startsMax) throw error;
      }
    }
  }

  static async #startOnce(binary: string, canBeCut: boolean): Promise<TestCluster> {
    await using opening = new AsyncDisposableStack();
    const take = (): number => {
      const { port, reservation } = reservePort();
      opening.use(reservation);
      return port;
    };
    const places = Array.from(
      { length: serversCount },
      (_, place) => ({ place, port: take(), monitor: take() }),
    );
    const links = new Map(
      places.flatMap(({ place: from }) =>
        places.flatMap(({ place: to, port }) =>
          from === to || !canBeCut ? [] : [[`${from} ${to}`, opening.use(new TcpLink(port))] as const]
        )
      ),
    );
    const servers: TestServer[] = [];
    for (const { place: from, port, monitor } of places) {
      const others = places.filter(({ place }) => place !== from);
      const routes = others.map(({ place: to, port }) => links.get(`${from} ${to}`)?.port ?? port);
      const extraConfig = clusterConfig(port, monitor, routes);
      servers.push(opening.use(await startTestServer({ binary, extraConfig })));
    }
    const cluster = new TestCluster(servers, places.map(({ monitor }) => monitor), links, opening.move());
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

  /**
   * Resolves when every server holds the same messages, by its own word. The leader's word about the others is not
   * enough: nats-server 2.9.10 calls a server current that holds other messages.
   */
  async whenReplicated(stream: string): Promise<void> {
    await this.#whenSame(
      stream,
      ({ state }) => [state.first_seq, state.last_seq, state.messages, state.bytes],
    );
  }

  /** Resolves when every server knows the same leader: until then one that was cut off may give old answers. */
  async whenAgreed(...streams: readonly string[]): Promise<void> {
    for (const stream of streams) await this.#whenSame(stream, ({ cluster }) => [cluster.leader]);
  }

  async #whenSame(stream: string, of: (detail: StreamDetail) => readonly unknown[]): Promise<void> {
    let said: readonly string[] = [];
    await until(() => `all servers say the same of ${stream}: got ${said}`, async () => {
      const details = await Promise.all(this.#monitorPorts.map((port) => detailAt(port, stream)));
      said = details.map((detail) => JSON.stringify(of(detail)));
      return new Set(said).size === 1;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}

function clusterConfig(port: number, monitorPort: number, routes: readonly number[]): string {
  const addresses = routes.map((route) => `"nats://127.0.0.1:${route}"`).join(", ");
  return `http: "127.0.0.1:${monitorPort}"
  cluster {
    name: test
    listen: "127.0.0.1:${port}"
    advertise: "127.0.0.1:${closedPort}"
    routes: [${addresses}]
  }\n`;
}

async function infoOf(nc: NatsConnection, stream: string): Promise<StreamInfo> {
  return await (await nc.jetstreamManager({ timeout: requestMsMax, checkAPI: false })).streams.info(stream);
}

/** What a server says of its own copy of a stream. @throws {Error} when it does not answer, or has none */
async function detailAt(monitorPort: number, stream: string): Promise<StreamDetail> {
  const response = await fetch(`http://127.0.0.1:${monitorPort}/jsz?acc=$G&streams=true`, {
    signal: AbortSignal.timeout(requestMsMax),
  });
  const { account_details: [account] } = await response.json();
  return account.stream_detail.find(({ name }: { name: string }) => name === stream);
}

/** Asks until the answer is yes; an error is a no. @throws {Error} when it does not become yes in time */
async function until(what: string | (() => string), isSo: () => Promise<boolean>): Promise<void> {
  let isWanted = true;
  const asking = async (): Promise<void> => {
    while (isWanted && !await isSo().catch(() => false)) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  };
  try {
    await within(asking(), what);
  } finally {
    isWanted = false;
  }
}
