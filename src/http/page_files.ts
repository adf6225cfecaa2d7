/** The files of the page. They come with the code and hold no data, so nothing is read from disk to serve them. */
import dagre from "@dagrejs/dagre" with { type: "text" };
import baseStyle from "./page/base.css" with { type: "text" };
import boardStyle from "./page/board.css" with { type: "text" };
import board from "./page/board.js" with { type: "text" };
import clock from "./page/clock.js" with { type: "text" };
import dom from "./page/dom.js" with { type: "text" };
import frameStyle from "./page/frame.css" with { type: "text" };
import graphStyle from "./page/graph.css" with { type: "text" };
import graph from "./page/graph.js" with { type: "text" };
import icon from "./page/icon.svg" with { type: "text" };
import layout from "./page/layout.js" with { type: "text" };
import main from "./page/main.js" with { type: "text" };
import page from "./page/page.html" with { type: "text" };
import place from "./page/place.js" with { type: "text" };
import podsList from "./page/pods_list.js" with { type: "text" };
import share from "./page/share.js" with { type: "text" };
import summary from "./page/summary.js" with { type: "text" };
import taskStyle from "./page/task.css" with { type: "text" };
import task from "./page/task.js" with { type: "text" };
import tasks from "./page/tasks.js" with { type: "text" };
import token from "./page/token.js" with { type: "text" };
import workerAccess from "./page/worker_access.js" with { type: "text" };

const types: { readonly [extension: string]: string } = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** Keyed by path. */
const files: ReadonlyMap<string, string> = new Map([
  ["/", page],
  ["/page/base.css", baseStyle],
  ["/page/board.css", boardStyle],
  ["/page/board.js", board],
  ["/page/clock.js", clock],
  ["/page/dagre.js", `/* @dagrejs/dagre: MIT licence, see its package */\n${dagre}`],
  ["/page/dom.js", dom],
  ["/page/frame.css", frameStyle],
  ["/page/graph.css", graphStyle],
  ["/page/graph.js", graph],
  ["/page/icon.svg", icon],
  // A browser knows no import map in a thread.
  ["/page/layout.js", layout.replace('"@dagrejs/dagre"', '"./dagre.js"')],
  ["/page/main.js", main],
  ["/page/place.js", place],
  ["/page/pods_list.js", podsList],
  ["/page/share.js", share],
  ["/page/summary.js", summary],
  ["/page/task.css", taskStyle],
  ["/page/task.js", task],
  ["/page/tasks.js", tasks],
  ["/page/token.js", token],
  ["/page/worker_access.js", workerAccess],
]);

/** Null where there is no such file. A browser asks each time whether its copy is still the one: code changes. */
export function pageFile(path: string): Response | null {
  const content = files.get(path);
  if (content === undefined) return null;
  const extension = path === "/" ? "html" : path.slice(path.lastIndexOf(".") + 1);
  return new Response(content, {
    headers: { "content-type": types[extension] ?? "text/plain", "cache-control": "no-cache" },
  });
}
