/** What `--help` says. */
import { configFileSetting, type Setting, settings } from "../config.ts";
import type { Command } from "./command.ts";
import { tableText } from "./table.ts";

export function programHelp(commands: readonly Command[]): string {
  return `tasuki keeps the task lists of LLM agents: it answers the tool calls that come over NATS.
The lists live in a JetStream stream, and are rebuilt from it at every start.

Usage: tasuki [command] [options]

Commands:
${indented(commands.map((command) => [usageOf(command), firstSentence(command.about)]))}
Without a command it is ${commands[0]?.name}. \`tasuki <command> --help\` says more.

${settingsHelp()}`;
}

export function commandHelp(command: Command): string {
  const own = Object.entries(command.options).map(([name, { value, description }]) => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    description,
  ]);
  const general = [["-h, --help", "this text"], ["--version", "the version of tasuki"]];
  return `Usage: tasuki ${usageOf(command)} [options]

${command.about}

Options:
${indented([...own, ...general])}
${settingsHelp()}`;
}

function usageOf({ name, form }: Command): string {
  return `${name} ${form}`.trim();
}

function firstSentence(text: string): string {
  return text.split(/\.\s/)[0] ?? "";
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
