/** What a worker process says over HTTP. */
import { within } from "./within.ts";
import type { WorkerProcess } from "./worker_process.ts";

export interface Said {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

const pollMs = 20;

export class WorkerHttp {
  readonly url: string;

  private constructor(url: string) {
    this.url = url;
  }

  /** As soon as it says where it listens: it was started with `TASUKI_HTTP` at port 0. */
  static async of(worker: WorkerProcess): Promise<WorkerHttp> {
    const { fields } = await worker.log.logged("HTTP is served");
    return new WorkerHttp(String(fields.url));
  }

  /** The body as JSON, or as a text where it is none. */
  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Said> {
    const response = await fetch(new URL(path, this.url), { headers });
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  }

  /** Asks until the answer is as wanted, and gives it. */
  async until(
    path: string,
    isWanted: (said: Said) => boolean,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Said> {
    let last: Said = { status: 0, body: null };
    const asking = async (): Promise<Said> => {
      for (;;) {
        last = await this.get(path, headers);
        if (isWanted(last)) return last;
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
    };
    return await within(asking(), () => `${path} as wanted: got ${JSON.stringify(last)}`);
  }

  /** The value of a series by its whole name; undefined where it is not there. */
  async metric(series: string): Promise<number | undefined> {
    return metricOf(await this.get("/metrics"), series);
  }

  /** Asks until the series has the value, and gives all metrics of that moment. */
  async untilMetric(series: string, value: number): Promise<Said> {
    return await this.until("/metrics", (said) => metricOf(said, series) === value);
  }
}

/** The value of a series in what `/metrics` said; undefined where it is not there. */
export function metricOf({ body }: Said, series: string): number | undefined {
  const line = String(body).split("\n").find((line) => line.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
