/** The colours of the picture, for light and dark surroundings. */
import type { Standing } from "./standing.ts";

/** How a box looks: as its task stands, or as one that is missing. */
export type Look = Standing | "missing";

interface Colours {
  readonly fill: string;
  readonly line: string;
  readonly ink: string;
}

interface Palette {
  readonly looks: { readonly [look in Look]: Colours };
  readonly arrows: { readonly waiting: string; readonly passed: string };
}

const light: Palette = {
  looks: {
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

const dark: Palette = {
  looks: {
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

export const fontPx = 13;
export const smallFontPx = 11.5;

/** All rules name the picture's own class, so that they leave a page alone in which it stands. */
export const styleText = `\
.tasuki text { font-family: system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; font-size: ${fontPx}px; }
.tasuki .head { font-size: ${smallFontPx}px; }
.tasuki .id { font-weight: 600; }
.tasuki rect { stroke-width: 1.25; }
.tasuki .deleted rect, .tasuki .missing rect { stroke-dasharray: 4 3; }
.tasuki .deleted .subject { text-decoration: line-through; }
.tasuki .sign { fill: none; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.tasuki .arrow { fill: none; stroke-width: 1.5; }
${rules(light)}
@media (prefers-color-scheme: dark) {
${rules(dark)}
}`;

function rules({ looks, arrows }: Palette): string {
  const boxes = Object.entries(looks).map(([look, { fill, line, ink }]) =>
    `.tasuki .${look} rect { fill: ${fill}; stroke: ${line}; } ` +
    `.tasuki .${look} text { fill: ${ink}; } ` +
    `.tasuki .${look} .sign { stroke: ${line}; }`
  );
  const lines = Object.entries(arrows).map(([look, colour]) =>
    `.tasuki .arrow.${look} { stroke: ${colour}; } .tasuki .tip.${look} { fill: ${colour}; }`
  );
  return [...boxes, ...lines, `.tasuki .none { fill: ${arrows.waiting}; }`].join("\n");
}
