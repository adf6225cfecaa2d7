import { assertEquals, assertStringIncludes } from "@std/assert";
import { commands } from "../../../src/cli/commands.ts";
import { helpText } from "../../../src/cli/help.ts";
import { configFileSetting, settings } from "../../../src/config/settings.ts";

Deno.test("helpText() of the program names every command and every setting", () => {
  const help = helpText(null, commands);
  for (const { name, form } of commands) assertStringIncludes(help, `  ${name} ${form}`.trimEnd());
  for (const { flag, env } of [configFileSetting, ...settings]) {
    assertStringIncludes(help, `${flag} `);
    assertStringIncludes(help, ` ${env} `);
  }
});

Deno.test("helpText() of a command has its usage, two sentences, its options and the settings", () => {
  for (const command of commands) {
    const help = helpText(command, commands);
    assertStringIncludes(help, `Usage: tasuki ${command.name}`);
    for (const sentence of command.about) assertStringIncludes(help, sentence);
    for (const option of Object.keys(command.options)) assertStringIncludes(help, `  --${option}`);
    assertStringIncludes(help, "--nats-url");
  }
});

Deno.test("helpText() is not wider than a terminal where it lists the commands", () => {
  const [list = ""] = helpText(null, commands).split("Without a command");
  assertEquals(list.split("\n").filter((line) => line.length > 120), []);
});
