import { assertEquals, assertRejects } from "@std/assert";
import { tools } from "../../../src/cli/tools.ts";
import { UsageError } from "../../../src/errors.ts";
import { definitions } from "../../../src/tools/definitions.ts";
import { MemoryWorld, runCommand } from "../../helpers/memory_world.ts";

async function printed(...args: string[]): Promise<unknown> {
  return JSON.parse((await runCommand(new MemoryWorld(), tools, ...args)).out);
}

Deno.test("tools prints the session's tools for MCP where nothing else is asked for", async () => {
  const expected = {
    tools: definitions("session").map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: parameters,
    })),
  };
  assertEquals(await printed(), JSON.parse(JSON.stringify(expected)));
  assertEquals(await printed("--for", "mcp", "--set", "session"), await printed());
});

Deno.test("tools knows the forms of Anthropic and OpenAI", async () => {
  const [{ name, description, parameters } = expectOne()] = definitions("graph");
  const [anthropic] = await listed("--for", "anthropic", "--set", "graph");
  assertEquals(anthropic, JSON.parse(JSON.stringify({ name, description, input_schema: parameters })));
  const [openai] = await listed("--for", "openai", "--set", "graph");
  const expected = { type: "function", function: { name, description, parameters } };
  assertEquals(openai, JSON.parse(JSON.stringify(expected)));
});

async function listed(...args: string[]): Promise<readonly unknown[]> {
  const value = await printed(...args);
  return Array.isArray(value) ? value : [];
}

function expectOne(): never {
  throw new Error("Expected a tool");
}

Deno.test("tools refuses another API or set, and says what was probably meant", async () => {
  const run = (...args: string[]) => runCommand(new MemoryWorld(), tools, ...args);
  const error = await assertRejects(() => run("--for", "opnai"), UsageError);
  assertEquals(
    error.message,
    'Cannot print tools: --for is mcp, anthropic, openai: got "opnai": did you mean openai?',
  );
  await assertRejects(() => run("--set", "all"), UsageError, "--set is session, graph");
});
