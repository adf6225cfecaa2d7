/** A wire between clients and a server that can be cut, or go dead, at any moment: a proxy on loopback. */

interface Ends {
  readonly client: Deno.TcpConn;
  readonly server: Deno.TcpConn;
}

export class CutWire implements AsyncDisposable {
  readonly url: string;
  readonly #listener: Deno.TcpListener;
  readonly #serverPort: number;
  readonly #ends = new Set<Ends>();
  readonly #pumps = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;
  /** Whether what the server says reaches nobody. */
  #isDeaf = false;
  /** Whether nothing passes in either direction; connections stay open. */
  #isDead = false;
  #alive: Promise<void> = Promise.resolve();
  #revive: () => void = () => {};

  constructor(serverPort: number) {
    this.#serverPort = serverPort;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.url = `nats://127.0.0.1:${this.#listener.addr.port}`;
    this.#accepting = this.#accept();
  }

  /** Lets what is on its way to the server pass, swallows what it answers, then closes every connection. */
  async cut(afterMs = 5): Promise<void> {
    this.#isDeaf = true;
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    this.#closeAll();
    this.#isDeaf = false;
  }

  /** Holds everything back, in both directions, until the wire is revived: nobody is told. */
  die(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#alive = new Promise((resolve) => this.#revive = resolve);
  }

  revive(): void {
    this.#isDead = false;
    this.#revive();
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) this.#follow(this.#serve(client));
  }

  #follow(pump: Promise<void>): void {
    this.#pumps.add(pump);
    pump.finally(() => this.#pumps.delete(pump));
  }

  async #serve(client: Deno.TcpConn): Promise<void> {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: this.#serverPort }).catch(() => null);
    if (server === null) return client.close();
    client.setNoDelay(true);
    server.setNoDelay(true);
    const ends = { client, server };
    this.#ends.add(ends);
    const pumps = [this.#pump(client, server, () => false), this.#pump(server, client, () => this.#isDeaf)];
    await Promise.race(pumps);
    this.#close(ends);
    await Promise.all(pumps);
  }

  /** Until either end is closed. */
  async #pump(from: Deno.TcpConn, to: Deno.TcpConn, isSwallowed: () => boolean): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    try {
      for (let read = await from.read(buffer); read !== null; read = await from.read(buffer)) {
        while (this.#isDead) await this.#alive;
        if (!isSwallowed()) await writeAll(to, buffer.subarray(0, read));
      }
    } catch {
      // Closed by this end or the other: what it carried is lost, as on any wire.
    }
  }

  #close(ends: Ends): void {
    if (!this.#ends.delete(ends)) return;
    ends.client.close();
    ends.server.close();
  }

  #closeAll(): void {
    for (const ends of [...this.#ends]) this.#close(ends);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.revive();
    await this.#accepting;
    this.#closeAll();
    while (this.#pumps.size > 0) await Promise.all(this.#pumps);
  }
}

async function writeAll(to: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await to.write(bytes.subarray(sent));
}
