/** All commands, the one that runs where none is named first. */
import { acl } from "./acl.ts";
import { call } from "./call.ts";
import type { Command } from "./command.ts";
import { dump } from "./dump.ts";
import { exportFiles } from "./export.ts";
import { graph } from "./graph.ts";
import { importFiles } from "./import.ts";
import { pods } from "./pods.ts";
import { purge } from "./purge.ts";
import { replay } from "./replay.ts";
import { serve } from "./serve.ts";
import { tools } from "./tools.ts";
import { verify } from "./verify.ts";
import { watch } from "./watch.ts";

export const commands: readonly [Command, ...Command[]] = [
  serve,
  call,
  pods,
  watch,
  graph,
  replay,
  verify,
  dump,
  exportFiles,
  importFiles,
  purge,
  tools,
  acl,
];
