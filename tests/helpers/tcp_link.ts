/** A way for TCP connections through the test's own process, so that the test can cut it. */
import { reservePort } from "./test_server.ts";

/** Connections to `port` of 127.0.0.1 go on to another port there. */
export class TcpLink implements AsyncDisposable {
  readonly port: number;
  readonly #reservation: Disposable | null;
  readonly #targetPort: number;
  readonly #listener: Deno.TcpListener;
  /** Both ends of every connection. */
  readonly #ends = new Set<Deno.Conn>();
  readonly #forwarding = new Set<Promise<void>>();
  readonly #listening: Promise<void>;
  #isCut = false;

  constructor(targetPort: number) {
    ({ port: this.port, reservation: this.#reservation } = reservePort());
    this.#targetPort = targetPort;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: this.port });
    this.#listening = this.#listen();
  }

  /** Ends what goes through; whoever connects from now on is turned away. */
  cut(): void {
    this.#isCut = true;
    for (const end of this.#ends) close(end);
  }

  mend(): void {
    this.#isCut = false;
  }

  async #listen(): Promise<void> {
    for await (const caller of this.#listener) {
      const forwarding = this.#forward(caller).finally(() => this.#forwarding.delete(forwarding));
      this.#forwarding.add(forwarding);
    }
  }

  async #forward(caller: Deno.Conn): Promise<void> {
    const target = this.#isCut ? null : await connect(this.#targetPort);
    if (target === null || this.#isCut) {
      close(caller);
      if (target) close(target);
      return;
    }
    const ends = [caller, target];
    for (const end of ends) this.#ends.add(end);
    const ways = [caller.readable.pipeTo(target.writable), target.readable.pipeTo(caller.writable)];
    await Promise.race(ways).catch(() => {});
    for (const end of ends) {
      close(end);
      this.#ends.delete(end);
    }
    await Promise.allSettled(ways);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.cut();
    await this.#listening;
    await Promise.all(this.#forwarding);
    this.#reservation?.[Symbol.dispose]();
  }
}

/** Null where nobody listens. */
async function connect(port: number): Promise<Deno.Conn | null> {
  try {
    return await Deno.connect({ hostname: "127.0.0.1", port });
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return null;
    throw error;
  }
}

/** Also where a pipe that ended has closed it already. */
function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
