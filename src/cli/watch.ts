/** `watch`: a pod's list as it is now and as it changes, or what happens to all pods. */
import { UsageError } from "../errors.ts";
import { noPod } from "../log/subjects.ts";
import { type BoardLines, boardLines } from "./board.ts";
import type { Command } from "./command.ts";
import { follow } from "./follow.ts";
import { podToken } from "./given_values.ts";
import { graphLines } from "./graph_lines.ts";
import { noSuchPod } from "./known_pod.ts";
import type { Part } from "./part.ts";
import type { Remote, World } from "./ports.ts";
import { foldLog } from "./read_log.ts";
import { BoardFollower } from "./watch_board.ts";
import { boardText, LineFollower } from "./watch_lines.ts";
import { boardOf } from "./watched_pods.ts";

export const watch: Command = {
  name: "watch",
  form: "[pod]",
  about: [
    "Shows a pod's list and keeps it up to date, or what happens to all pods.",
    "On a terminal a list is drawn in place; else, and for all pods, there is a line per change.",
  ],
  options: {
    once: { type: "boolean", description: "show the list as it is now, and end" },
    graph: { type: "boolean", description: "show a list as a tree of what waits for what" },
  },
  endsOnStop: true,
  async run(world, given) {
    const word = given.argument(0);
    const pod = word === null ? null : podToken(word);
    const linesOf = given.isSet("graph") ? graphLines : boardLines;
    if (given.isSet("graph") && pod === null && !given.isSet("once")) {
      throw new UsageError("Cannot watch: --graph shows the list of one pod: name it");
    }
    await using remote = await world.openRemote();
    if (given.isSet("once")) await showOnce(world, remote, pod, linesOf);
    else if (pod !== null && world.out.isTerminal) await showBoard(world, remote, pod, linesOf);
    else await follow(world, remote, pod, new LineFollower(world, pod, linesOf));
    return 0;
  },
};

async function showOnce(world: World, remote: Remote, pod: Part, linesOf: BoardLines): Promise<void> {
  const fold = await foldLog(world, remote, pod);
  if (pod !== null && !fold.pods.has(pod)) throw noSuchPod("watch", pod);
  const pods = pod === null ? [...fold.pods.keys()].filter((id) => id !== noPod).sort() : [pod];
  await world.out.write(pods.map((id) => boardText(boardOf(fold, id), linesOf, world)).join("\n"));
}

async function showBoard(world: World, remote: Remote, pod: string, linesOf: BoardLines): Promise<void> {
  const follower = new BoardFollower(world, pod, linesOf);
  await follow(world, remote, pod, follower);
  await follower.stopped();
}
