/** Several pods that leave together. */
import { Pod } from "./pod.ts";
import type { Server } from "./session_log.ts";

/** Disposing closes the connection of each. */
export class JoinedPods implements AsyncDisposable {
  readonly all: readonly Pod[];

  private constructor(all: readonly Pod[]) {
    this.all = all;
  }

  static async join(server: Server, count: number): Promise<JoinedPods> {
    return new JoinedPods(await Promise.all(Array.from({ length: count }, () => Pod.join(server))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map((pod) => pod[Symbol.asyncDispose]()));
  }
}
