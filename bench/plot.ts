/** A curve as a picture: one SVG file for light and dark pages, without scripts, links or fonts from elsewhere. */
import { xmlText } from "../src/graph/xml_text.ts";
import { type Axis, axisOf, endingAt } from "./plot_axis.ts";
import { type Curve, numberText } from "./report.ts";

const width = 760;
const height = 360;
/** Of the plot's own field; to its right stand the names of the lines. */
const field = { left: 72, top: 60, right: 524, bottom: 304 };
const labelGap = 17;

interface Palette {
  readonly ink: string;
  readonly quiet: string;
  readonly page: string;
  readonly border: string;
  readonly grid: string;
  /** Of the lines, in their order. */
  readonly lines: readonly string[];
}

const light: Palette = {
  ink: "#1f2328",
  quiet: "#59636e",
  page: "#ffffff",
  border: "#d1d9e0",
  grid: "#e2e7ec",
  lines: ["#0969da", "#9a6700", "#8250df", "#1a7f37"],
};
const dark: Palette = {
  ink: "#f0f6fc",
  quiet: "#9198a1",
  page: "#0d1117",
  border: "#3d444d",
  grid: "#2a313c",
  lines: ["#58a6ff", "#d29922", "#bc8cff", "#3fb950"],
};

const style = `
text { font: 13px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
.title { font-size: 15px; font-weight: 600; }
.quiet { font-size: 12px; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
${rules(light)}
@media (prefers-color-scheme: dark) {
${rules(dark)}
}
`;

function rules({ ink, quiet, page, border, grid, lines }: Palette): string {
  return [
    `text { fill: ${ink}; } .quiet { fill: ${quiet}; }`,
    `.page { fill: ${page}; stroke: ${border}; } .grid { stroke: ${grid}; }`,
    ...lines.map((colour, index) =>
      `.line.s${index} { stroke: ${colour}; } .of.s${index} { fill: ${colour}; }`
    ),
  ].join("\n");
}

export function plotSvg(curve: Curve): string {
  const points = curve.series.flatMap((series) => series.points);
  const across = points.map(([value]) => value);
  const x = endingAt(Math.max(...across), axisOf(across, curve.logarithmic !== "none"));
  const y = axisOf(points.map(([, value]) => value), curve.logarithmic === "both");
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${width} ${height}" \
width="${width}" height="${height}">
<title>${xmlText(curve.title)}</title>
<style>${style}</style>
<rect class="page" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="6"/>
<text class="title" x="20" y="28">${xmlText(curve.title)}</text>
<text class="quiet" x="20" y="47">${xmlText(curve.y)}</text>
${[...y.ticks.map((value) => row(y, value)), ...x.ticks.map((value) => column(x, value))].join("\n")}
<text class="quiet" x="${(field.left + field.right) / 2}" y="344" text-anchor="middle">${
    xmlText(curve.x)
  }</text>
${curve.series.map(({ points }, index) => lineOf(points, index, x, y)).join("\n")}
${names(curve, y).join("\n")}
</svg>
`;
}

const acrossOf = (axis: Axis, value: number): number =>
  field.left + axis.place(value) * (field.right - field.left);
const downOf = (axis: Axis, value: number): number =>
  field.bottom - axis.place(value) * (field.bottom - field.top);
const px = (length: number): string => String(Math.round(length * 10) / 10);

function row(axis: Axis, value: number): string {
  const at = px(downOf(axis, value));
  return `<path class="grid" d="M${field.left} ${at}H${field.right}"/>` +
    `<text class="quiet" x="${field.left - 8}" y="${at}" dy="4" text-anchor="end">${
      numberText(value)
    }</text>`;
}

function column(axis: Axis, value: number): string {
  const at = px(acrossOf(axis, value));
  return `<text class="quiet" x="${at}" y="${field.bottom + 20}" text-anchor="middle">${
    numberText(value)
  }</text>`;
}

function lineOf(points: readonly (readonly [number, number])[], index: number, x: Axis, y: Axis): string {
  const places = points.map(([across, down]) => [px(acrossOf(x, across)), px(downOf(y, down))] as const);
  const dots = places.map(([cx, cy]) => `<circle class="of s${index}" cx="${cx}" cy="${cy}" r="3"/>`);
  const path = places.map((place) => place.join(" ")).join("L");
  return `<path class="line s${index}" d="M${path}"/>${dots.join("")}`;
}

/** Beside the end of each line, moved apart where they would touch. */
function names({ series }: Curve, y: Axis): readonly string[] {
  const wanted = series.map(({ name, points }, index) => ({
    name,
    index,
    down: downOf(y, points.at(-1)?.[1] ?? 0),
  })).sort((a, b) => a.down - b.down);
  let free = field.top;
  return wanted.map(({ name, index, down }) => {
    const at = Math.max(free, down);
    free = at + labelGap;
    return `<text class="of s${index}" x="${field.right + 12}" y="${px(at)}" dy="4">${xmlText(name)}</text>`;
  });
}
