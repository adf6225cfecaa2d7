/** What `--help` says. */
import { configFileSetting, type Setting, settings } from "../config/settings.ts";
import type { Command } from "./command.ts";
import { tableText } from "./table.ts";

/** On one command, or on all of them. */
export function helpText(command: Command | null, commands: readonly Command[]): string {
  return command === null ? programHelp(commands) : commandHelp(command);
}

function programHelp(commands: readonly Command[]): string {
  return `tasuki keeps the task lists of LLM agents: it answers the tool calls that come over NATS.
The lists live in a JetStream stream, and are rebuilt from it at every start.

Usage: tasuki [command] [options]

Commands:
${indented(commands.map((command) => [usageOf(command), command.about[0]]))}
Without a command it is ${commands[0]?.name}. \`tasuki <command> --help\` says more.

${settingsHelp()}`;
}

function commandHelp(command: Command): string {
  const own = Object.entries(command.options).map(([name, { value, description }]) => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    description,
  ]);
  const general = [["-h, --help", "this text"], ["--version", "the version of tasuki"]];
  return `Usage: tasuki ${usageOf(command)} [options]

${command.about.join("\n")}

Options:
${indented([...own, ...general])}
${settingsHelp()}`;
}

function usageOf({ name, form }: Command): string {
  return `${name} ${form}`.trim();
}

function settingsHelp(): string {
  const all: readonly Omit<Setting, "path">[] = [configFileSetting, ...settings];
  const rows = all.map(({ flag, env, defaultText, description }) => [flag, env, defaultText, description]);
  return `Settings, by flag, environment variable or in the file (by path: nats.servers); flags win, then variables:
${indented([["flag", "variable", "default", "what it is"], ...rows])}`;
}

function indented(rows: readonly (readonly string[])[]): string {
  return tableText(rows).replaceAll(/^(?=.)/gm, "  ");
}
