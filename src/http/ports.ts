/** What HTTP needs of the rest of the process. `main.ts` puts it together. */
import type { Boards, WorkerStatus } from "../worker/status.ts";

/** What there is to serve once the worker is there. */
export interface Served {
  readonly worker: {
    status(): WorkerStatus;
    readonly boards: Boards;
  };
  readonly connection: {
    readonly isConnected: boolean;
    /** How often the connection came back. */
    readonly reconnectCount: number;
    /** Whether the server answers within the limit. */
    answers(limitMs: number): Promise<boolean>;
  };
}

/** Metrics as a text, with their media type. */
export interface MetricsText {
  readonly contentType: string;
  text(readings: {
    readonly status: WorkerStatus | null;
    readonly reconnectCount: number;
    readonly viewerCount: number;
  }): Promise<string>;
}
