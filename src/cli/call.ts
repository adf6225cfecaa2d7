/** `call`: one tool call, as a pod makes it. */
import { OperatorError, UsageError } from "../errors.ts";
import { isRefusal } from "../tasks/refusal.ts";
import { readArguments } from "../tools/arguments.ts";
import { isAgentName, isId, isNote, isToken } from "../tools/tokens.ts";
import type { Command, ExitCode, Given } from "./command.ts";
import { type Exchange, exchange } from "./exchange.ts";
import { podToken, requiredArgument, timeoutOf } from "./given_values.ts";
import { readOutputBody } from "./output_body.ts";
import type { World } from "./ports.ts";
import { readText } from "./read_text.ts";
import { jsonForTerminal, linesForTerminal } from "./terminal_text.ts";

export const call: Command = {
  name: "call",
  form: "<pod> <Tool> [json]",
  about: [
    "Publishes one tool call of a pod and prints what its model would read.",
    "The arguments are a JSON object, or - to read it from standard input; without them there are none.",
  ],
  options: {
    agent: { type: "string", value: "<name>", description: "agent that calls" },
    session: { type: "string", value: "<name>", description: "session that calls" },
    "call-id": { type: "string", value: "<id>", description: "id of the call; by default a fresh one" },
    "timeout-ms": {
      type: "string",
      value: "<ms>",
      description: "how long to wait for the answer; by default 10000",
    },
    json: { type: "boolean", description: "the whole answer as JSON" },
  },
  async run(world, given) {
    const pod = podToken(requiredArgument(given, 0));
    const tool = toolToken(requiredArgument(given, 1));
    const timeoutMs = timeoutOf(given);
    const content = await envelopeOf(world, given);
    await using remote = await world.openRemote();
    const rest = `call.${tool}`;
    return await printAnswer(world, given, await exchange(world, remote, { pod, rest, content, timeoutMs }));
  },
};

function toolToken(text: string): string {
  if (isToken(text)) return text;
  throw new UsageError(
    `Cannot call a tool: its name is 1 to 64 of A-Z a-z 0-9 _ -: got ${JSON.stringify(text)}`,
  );
}

/** The ToolCall of SPEC §3. */
async function envelopeOf(world: World, given: Given): Promise<{ readonly [name: string]: unknown }> {
  const json = given.argument(2);
  const args = readArguments(json === "-" ? await readText(world, "-") : json);
  if (isRefusal(args)) throw new UsageError(`Cannot call a tool: ${args.message}`);
  return {
    v: 1,
    call_id: optionOf(given, "call-id", isId, "is 1 to 128 printable ASCII characters") ?? world.freshId(),
    arguments: args,
    agent: optionOf(given, "agent", isAgentName, "is 1 to 64 of A-Z a-z 0-9 _ . : @ / -"),
    session: optionOf(given, "session", isNote, "has at most 128 characters"),
  };
}

function optionOf(
  given: Given,
  name: string,
  isGood: (text: string) => boolean,
  rule: string,
): string | null {
  const text = given.text(name);
  if (text === null || isGood(text)) return text;
  throw new UsageError(`Cannot call a tool: --${name} ${rule}: got ${JSON.stringify(text)}`);
}

async function printAnswer(world: World, given: Given, { inputSeq, output }: Exchange): Promise<ExitCode> {
  if (output === null) {
    throw new OperatorError(
      `No answer in time: the call is in the log at seq ${inputSeq} and will be answered when a worker runs`,
    );
  }
  const body = readOutputBody(output.data);
  if (body === null) throw new OperatorError(`Cannot read the answer to the call at seq ${inputSeq}`);
  if (given.isSet("json")) {
    await world.out.write(jsonForTerminal(JSON.parse(new TextDecoder().decode(output.data)), 2) + "\n");
  }
  const { result } = body;
  if (!result) {
    throw new OperatorError(`The call at seq ${inputSeq} was rejected (${body.reason}): ${body.detail}`);
  }
  if (!given.isSet("json")) {
    await world.out.write(result.content.map(({ text }) => `${linesForTerminal(text)}\n`).join(""));
  }
  return result.isError ? 1 : 0;
}
