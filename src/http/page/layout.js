// Lays a graph out, in a thread of its own.
import { Graph, layout } from "./dagre.js";

const marginPx = 12;

onmessage = ({ data: { taskids, edges, boxWidthPx, boxHeightPx, isTall } }) => {
  const graph = new Graph();
  graph.setGraph({
    rankdir: isTall ? "TB" : "LR",
    nodesep: 18,
    edgesep: 14,
    ranksep: 56,
    marginx: marginPx,
    marginy: marginPx,
  });
  for (const taskid of taskids) graph.setNode(String(taskid), { width: boxWidthPx, height: boxHeightPx });
  for (const [blocker, dependent] of edges) graph.setEdge(String(blocker), String(dependent), {});
  layout(graph);
  const { width, height } = graph.graph();
  postMessage({
    width,
    height,
    places: taskids.map((taskid) => {
      const { x, y } = graph.node(String(taskid));
      return { taskid, x: x - boxWidthPx / 2, y: y - boxHeightPx / 2 };
    }),
    arrows: graph.edges().map(({ v, w }) => ({
      from: Number(v),
      to: Number(w),
      points: graph.edge(v, w).points.map(({ x, y }) => ({ x, y })),
    })),
  });
};
