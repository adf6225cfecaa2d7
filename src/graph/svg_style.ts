/** The style sheet of the picture. */
import { dark, light, type Palette } from "./palette.ts";

export const fontPx = 13;
export const smallFontPx = 11.5;

/** Every rule names the picture's own class, so that none reaches a page in which it stands. */
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

function rules({ boxes, arrows }: Palette): string {
  const ofBoxes = Object.entries(boxes).map(([look, { fill, line, ink }]) =>
    `.tasuki .${look} rect { fill: ${fill}; stroke: ${line}; } ` +
    `.tasuki .${look} text { fill: ${ink}; } ` +
    `.tasuki .${look} .sign { stroke: ${line}; }`
  );
  const ofArrows = Object.entries(arrows).map(([look, colour]) =>
    `.tasuki .arrow.${look} { stroke: ${colour}; } .tasuki .tip.${look} { fill: ${colour}; }`
  );
  return [...ofBoxes, ...ofArrows, `.tasuki .none { fill: ${arrows.waiting}; }`].join("\n");
}
