// Lays a graph out, in a thread of its own.
import { Graph, layout } from "@dagrejs/dagre";

const marginPx = 16;
/** Larger ones are laid out once, from left to right. */
const boxesTriedTwiceMax = 80;

onmessage = ({ data: shape }) => {
  const tried = shape.taskids.length > boxesTriedTwiceMax ? ["LR"] : ["LR", "TB"];
  const [first, second] = tried.map((direction) => layOut(shape, direction));
  const isSecondLarger = second !== undefined && scaleOf(second, shape.room) > scaleOf(first, shape.room);
  postMessage(isSecondLarger ? second : first);
};

/** By how much the picture has to shrink to be seen at once. */
function scaleOf({ width, height }, room) {
  return Math.min(1, room.width / width, room.height / height);
}

function layOut({ taskids, edges, boxWidthPx, boxHeightPx }, direction) {
  const graph = new Graph();
  graph.setGraph({
    rankdir: direction,
    nodesep: 18,
    edgesep: 14,
    ranksep: 44,
    marginx: marginPx,
    marginy: marginPx,
  });
  for (const taskid of taskids) graph.setNode(String(taskid), { width: boxWidthPx, height: boxHeightPx });
  for (const [blocker, dependent] of edges) graph.setEdge(String(blocker), String(dependent), {});
  layout(graph);
  const { width, height } = graph.graph();
  return {
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
  };
}
