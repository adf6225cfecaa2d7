/** Clients of the crash tests: they publish what they have until it is acknowledged, over wires that are cut. */
import { connect, type NatsConnection, NatsError } from "nats";
import type { Chance } from "./chance.ts";
import type { Read } from "./crash_checks.ts";
import type { PodInputs, RandomInput } from "./crash_inputs.ts";
import { CutWire } from "./cut_wire.ts";
import type { Json } from "./pod.ts";

export interface AcknowledgedInput extends RandomInput {
  readonly seq: number;
}

export interface ClientsOptions {
  readonly serverPort: number;
  readonly chance: Chance;
  readonly clients: number;
  readonly pods: readonly PodInputs[];
}

/** Inputs that one client has on the way at once. */
const pipelined = 4;
/** Between two inputs of one of these, at most, in milliseconds. */
const thinkMsMax = 24;
const acknowledgementWaitMs = 1_000;
const readWaitMs = 400;

export class CrashClients implements AsyncDisposable {
  readonly acknowledged: AcknowledgedInput[] = [];
  readonly reads: Read[] = [];
  readonly #options: ClientsOptions;
  readonly #wires: readonly CutWire[];
  readonly #connections: readonly NatsConnection[];
  #isStopping = false;
  #resting: Promise<void> = Promise.resolve();
  #working: Promise<unknown> = Promise.resolve();
  /** Publishes that were repeated because nobody knew whether the input was in the log. */
  uncertainCount = 0;

  private constructor(
    options: ClientsOptions,
    wires: readonly CutWire[],
    connections: readonly NatsConnection[],
  ) {
    this.#options = options;
    this.#wires = wires;
    this.#connections = connections;
  }

  static async start(options: ClientsOptions): Promise<CrashClients> {
    const wires = Array.from({ length: options.clients }, () => new CutWire(options.serverPort));
    const connections = await Promise.all(
      wires.map(({ url }) =>
        connect({ servers: url, maxReconnectAttempts: -1, reconnectTimeWait: 50, waitOnFirstConnect: true })
      ),
    );
    const clients = new CrashClients(options, wires, connections);
    clients.#working = Promise.all([
      ...connections.flatMap((nc) => Array.from({ length: pipelined }, () => clients.#publishOn(nc))),
      ...connections.slice(0, 1).map((nc) => clients.#readOn(nc)),
    ]);
    clients.#working.catch(() => {});
    return clients;
  }

  /** One of the connections is lost, between a publish and its acknowledgement as often as not. */
  async cutOne(): Promise<void> {
    await this.#options.chance.pick(this.#wires).cut(this.#options.chance.below(20));
  }

  /** Nothing new is published for a while. */
  rest(ms: number): void {
    this.#resting = pause(ms);
  }

  /** Resolves when everything that was begun is acknowledged. */
  async finish(): Promise<void> {
    this.#isStopping = true;
    await this.#working;
  }

  async #publishOn(nc: NatsConnection): Promise<void> {
    const { chance, pods } = this.#options;
    while (!this.#isStopping) {
      const input = chance.pick(pods).next();
      this.acknowledged.push({ ...input, seq: await this.#publish(nc, input) });
      await pause(chance.below(thinkMsMax));
      await this.#resting;
    }
  }

  /** A pod that sets a message id keeps it when it asks again; one that does not makes a repeat of it. */
  async #publish(nc: NatsConnection, { subject, data }: RandomInput): Promise<number> {
    const { chance } = this.#options;
    const js = nc.jetstream({ timeout: acknowledgementWaitMs });
    const options = chance.percent(50) ? { msgID: `${subject.split(".")[1]}:${crypto.randomUUID()}` } : {};
    for (;;) {
      try {
        return (await js.publish(subject, data, options)).seq;
      } catch (error) {
        if (!(error instanceof NatsError) || nc.isClosed()) throw error;
        this.uncertainCount++;
        await pause(20 + chance.below(100));
      }
    }
  }

  /** One read after the other: no leader, no answer. */
  async #readOn(nc: NatsConnection): Promise<void> {
    const { chance, pods } = this.#options;
    while (!this.#isStopping) {
      const { pod } = chance.pick(pods);
      try {
        const answer = await nc.request(`tasks.${pod}.read.TaskList`, "{}", { timeout: readWaitMs });
        const { structuredContent }: Json = answer.json();
        this.reads.push({ pod, tasks: structuredContent.tasks ?? [structuredContent] });
      } catch (error) {
        if (!(error instanceof NatsError)) throw error;
      }
      await pause(chance.below(40));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    for (const nc of this.#connections) await nc.close();
    await this.#working.catch(() => {});
    for (const wire of this.#wires) await wire[Symbol.asyncDispose]();
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
