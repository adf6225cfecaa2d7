/** `graph`: what waits for what in a pod's list. */
import { OperatorError, UsageError } from "../errors.ts";
import { mermaidText } from "../graph/mermaid.ts";
import { svgArrowsMax, svgBoxesMax, svgText } from "../graph/svg.ts";
import type { Board } from "./board.ts";
import type { Command, Given } from "./command.ts";
import { podToken, requiredArgument } from "./given_values.ts";
import { graphLines } from "./graph_lines.ts";
import { noSuchPod } from "./known_pod.ts";
import type { World } from "./ports.ts";
import { foldLog } from "./read_log.ts";
import { boardText } from "./watch_lines.ts";
import { boardOf } from "./watched_pods.ts";

const formats = ["tree", "mermaid", "svg"] as const;
type Format = typeof formats[number];

export const graph: Command = {
  name: "graph",
  form: "<pod>",
  about: [
    "Prints what waits for what in a pod's list, as a tree or as a picture.",
    "In the tree a task stands below the one that it waits for, and is referred to where it waits for more.",
  ],
  options: {
    format: {
      type: "string",
      value: `<${formats.join("|")}>`,
      description: "by default tree",
    },
  },
  async run(world, given) {
    const pod = podToken(requiredArgument(given, 0));
    const format = formatOf(given);
    await using remote = await world.openRemote();
    const fold = await foldLog(world, remote, pod);
    if (!fold.pods.has(pod)) throw noSuchPod("draw", pod);
    const board = boardOf(fold, pod);
    if (board.notServed !== null && format !== "tree") {
      throw new OperatorError(`Cannot draw pod ${pod}: ${board.notServed}`);
    }
    await world.out.write(textOf(board, format, world));
    return 0;
  },
};

function formatOf(given: Given): Format {
  const text = given.text("format") ?? "tree";
  const format = formats.find((format) => format === text);
  if (format !== undefined) return format;
  throw new UsageError(`Cannot draw: --format is ${formats.join(", ")}: got ${JSON.stringify(text)}`);
}

function textOf(board: Board, format: Format, world: World): string {
  switch (format) {
    case "tree":
      return boardText(board, graphLines, world);
    case "mermaid":
      return mermaidText(board.store);
    case "svg":
      return svgOf(board);
  }
}

/** @throws {OperatorError} when it would be too large to be read */
function svgOf({ store }: Board): string {
  const svg = svgText(store);
  if (typeof svg === "string") return svg;
  throw new OperatorError(
    `Cannot draw: a picture has at most ${svgBoxesMax} tasks and ${svgArrowsMax} arrows, use --format tree: ` +
      `got ${svg.boxes} and ${svg.arrows}`,
  );
}
