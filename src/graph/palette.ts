/** The colours of the graph's pictures, for light and dark surroundings. */
import type { Standing } from "./standing.ts";

/** How a box looks: as its task stands, or as one that is missing. */
export type Look = Standing | "missing";

interface Colours {
  readonly fill: string;
  readonly line: string;
  readonly ink: string;
}

export interface Palette {
  readonly boxes: { readonly [look in Look]: Colours };
  readonly arrows: { readonly waiting: string; readonly passed: string };
}

export const light: Palette = {
  boxes: {
    ready: { fill: "#ddf4ff", line: "#0969da", ink: "#0a3069" },
    claimed: { fill: "#fbefff", line: "#8250df", ink: "#3e1f79" },
    running: { fill: "#fff8c5", line: "#bf8700", ink: "#4d2d00" },
    blocked: { fill: "#f6f8fa", line: "#8c959f", ink: "#424a53" },
    done: { fill: "#dafbe1", line: "#2da44e", ink: "#044f1e" },
    deleted: { fill: "#f6f8fa", line: "#d0d7de", ink: "#6e7781" },
    missing: { fill: "#ffebe9", line: "#cf222e", ink: "#82071e" },
  },
  arrows: { waiting: "#7d8590", passed: "#94d3a2" },
};

export const dark: Palette = {
  boxes: {
    ready: { fill: "#0c2d4d", line: "#388bfd", ink: "#cae8ff" },
    claimed: { fill: "#2b1d4a", line: "#a371f7", ink: "#e2c5ff" },
    running: { fill: "#3a2c06", line: "#d29922", ink: "#f8e3a1" },
    blocked: { fill: "#1c2128", line: "#6e7681", ink: "#c9d1d9" },
    done: { fill: "#0f2d19", line: "#2ea043", ink: "#aff5b4" },
    deleted: { fill: "#161b22", line: "#30363d", ink: "#8b949e" },
    missing: { fill: "#3c1418", line: "#f85149", ink: "#ffdcd7" },
  },
  arrows: { waiting: "#7d8590", passed: "#2b6b3c" },
};
