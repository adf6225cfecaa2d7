/** `watch`: a pod's list as it is now and as it changes, or what happens to all pods. */
import { noPod } from "../log/subjects.ts";
import type { Command } from "./command.ts";
import { follow } from "./follow.ts";
import { podToken } from "./given_values.ts";
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
  options: { once: { type: "boolean", description: "show the list as it is now, and end" } },
  endsOnStop: true,
  async run(world, given) {
    const word = given.argument(0);
    const pod = word === null ? null : podToken(word);
    await using remote = await world.openRemote();
    if (given.isSet("once")) await showOnce(world, remote, pod);
    else if (pod !== null && world.out.isTerminal) await showBoard(world, remote, pod);
    else await follow(world, remote, pod, new LineFollower(world, pod));
    return 0;
  },
};

async function showOnce(world: World, remote: Remote, pod: Part): Promise<void> {
  const fold = await foldLog(world, remote, pod);
  const pods = pod === null ? [...fold.pods.keys()].filter((id) => id !== noPod).sort() : [pod];
  await world.out.write(pods.map((id) => boardText(boardOf(fold, id), world)).join("\n"));
}

async function showBoard(world: World, remote: Remote, pod: string): Promise<void> {
  const follower = new BoardFollower(world, pod);
  await follow(world, remote, pod, follower);
  await follower.stopped();
}
