/** `export`: a pod's list as a folder with a file per task, once or as long as it runs (SPEC §9). */
import { OperatorError, UsageError } from "../errors.ts";
import { type Flavour, flavours } from "../files/flavour.ts";
import { type FolderWriting, writeFolder } from "../files/write_folder.ts";
import type { Fold } from "../log/fold.ts";
import type { Command, ExitCode, Given } from "./command.ts";
import { reportWritten } from "./file_report.ts";
import { follow } from "./follow.ts";
import { podToken, requiredArgument } from "./given_values.ts";
import { noSuchPod } from "./known_pod.ts";
import { Mirror } from "./mirror.ts";
import type { Remote, World } from "./ports.ts";
import { foldLog } from "./read_log.ts";

export const exportFiles: Command = {
  name: "export",
  form: "<pod> <folder>",
  about: [
    "Writes a pod's list into a folder, a JSON file per task.",
    "A file that somebody else has changed after its task is left as it is, and so are files of other tasks.",
  ],
  options: {
    flavour: {
      type: "string",
      value: "<form>",
      description: "course (task_1.json, the default) or claude (1.json, as Claude Code has it)",
    },
    force: { type: "boolean", description: "write also over files that are newer than what the list knows" },
    mirror: { type: "boolean", description: "keep the folder up to date until it is stopped" },
  },
  endsOnStop: true,
  async run(world, given) {
    const pod = podToken(requiredArgument(given, 0));
    const path = requiredArgument(given, 1);
    const writing = { flavour: flavourOf(given), isForced: given.isSet("force") };
    await using remote = await world.openRemote();
    return given.isSet("mirror")
      ? await mirror(world, remote, pod, { path, writing })
      : await exportOnce(world, remote, pod, { path, writing });
  },
};

interface Target {
  readonly path: string;
  readonly writing: FolderWriting;
}

function flavourOf(given: Given): Flavour {
  const text = given.text("flavour") ?? "course";
  const flavour = flavours.find((flavour) => flavour === text);
  if (flavour !== undefined) return flavour;
  throw new UsageError(`Cannot export: --flavour is ${flavours.join(" or ")}: got ${JSON.stringify(text)}`);
}

async function exportOnce(
  world: World,
  remote: Remote,
  id: string,
  { path, writing }: Target,
): Promise<ExitCode> {
  const podLog = (await foldUnlessStopped(world, remote, id)).pods.get(id);
  if (!podLog) throw noSuchPod("export", id);
  if (podLog.notServed !== null) throw new OperatorError(`Cannot export pod ${id}: ${podLog.notServed}`);
  const folder = world.openFolder(path);
  await folder.prepare();
  const written = await writeFolder(folder, podLog.pod.store, null, writing);
  await reportWritten(world, folder.path, written);
  return written.notes.some(({ isLeftOut }) => isLeftOut) ? 1 : 0;
}

/** Who is stopped has exported nothing, and must not end as if it had. */
async function foldUnlessStopped(world: World, remote: Remote, pod: string): Promise<Fold> {
  try {
    return await foldLog(world, remote, pod);
  } catch (error) {
    if (!world.stop.aborted) throw error;
    throw new OperatorError("Stopped before anything was written", { cause: error });
  }
}

async function mirror(
  world: World,
  remote: Remote,
  pod: string,
  { path, writing }: Target,
): Promise<ExitCode> {
  const folder = world.openFolder(path);
  await folder.prepare();
  await follow(world, remote, pod, new Mirror(world, pod, folder, writing));
  return 0;
}
