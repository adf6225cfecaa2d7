/** `tools`: the tools as a model is shown them, in the form of the API that shows them. */
import { UsageError } from "../errors.ts";
import { definitions, type ToolDefinition, toolSets } from "../tools/definitions.ts";
import type { Command, Given } from "./command.ts";
import { didYouMean } from "./did_you_mean.ts";
import { jsonForTerminal } from "./terminal_text.ts";

export const tools: Command = {
  name: "tools",
  form: "",
  about: [
    "Prints the definitions of the tools with their JSON Schemas.",
    "They show the strict form only, though calls are read in many more.",
  ],
  options: {
    for: { type: "string", value: "<api>", description: "mcp (the default), anthropic or openai" },
    set: {
      type: "string",
      value: "<tools>",
      description: "session (four tools, the default) or graph (all of them)",
    },
  },
  async run({ out }, given) {
    const form = oneOf(given, "for", apis);
    const set = oneOf(given, "set", toolSets);
    await out.write(jsonForTerminal(forms[form](definitions(set)), 2) + "\n");
    return 0;
  },
};

const apis = ["mcp", "anthropic", "openai"] as const;

/**
 * Sources: the tools/list result of the Model Context Protocol, `tools` of Anthropic's Messages API, and of OpenAI's
 * Chat Completions API. OpenAI's `strict` is left out: it wants every property to be required, and most are not.
 */
const forms: { readonly [api in typeof apis[number]]: (tools: readonly ToolDefinition[]) => unknown } = {
  mcp: (tools) => ({
    tools: tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters })),
  }),
  anthropic: (tools) =>
    tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
  openai: (tools) =>
    tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
};

/** The value of an option; the first of the list where it is not given. */
function oneOf<const Value extends string>(
  given: Given,
  option: string,
  values: readonly [Value, ...Value[]],
): Value {
  const text = given.text(option);
  const value = text === null ? values[0] : values.find((known) => known === text);
  if (value !== undefined) return value;
  const rule = `--${option} is ${values.join(", ")}`;
  throw new UsageError(
    `Cannot print tools: ${rule}: got ${JSON.stringify(text)}${didYouMean(text ?? "", values)}`,
  );
}
