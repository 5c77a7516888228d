import { flagOf } from "../config/load.ts";
import type { Command, Options } from "./command.ts";
import { COMMON_OPTIONS } from "./parse.ts";
import { describeSetting } from "./settings.ts";
import { alignColumns } from "./text.ts";

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** The help of `filehost`: all commands by group, one line each. */
export function renderOverview(groups: readonly CommandGroup[], version: string): string {
  const width = Math.max(...groups.flatMap((group) => group.commands.map((command) => synopsis(command).length)));
  const sections = groups.map((group) =>
    section(
      group.title,
      group.commands.map((command) => [synopsis(command).padEnd(width), command.summary]),
    ),
  );
  return [
    `filehost ${version}: a self-hosted file host in one executable\n`,
    "Usage: filehost COMMAND [OPTIONS]\n",
    ...sections,
    "Help for a command: filehost COMMAND --help\n",
  ].join("\n");
}

/** The help of a group of commands, such as `users`. */
export function renderGroup(name: string, commands: readonly Command[]): string {
  const lines = commands.map((command) => [synopsis(command), command.summary]);
  return `Usage: filehost ${name} COMMAND [OPTIONS]\n\n${section("Commands", lines)}\nHelp for a command: filehost ${name} COMMAND --help\n`;
}

/** The help of one command. */
export function renderCommand(command: Command): string {
  const args = Object.entries(command.args ?? {}).map(([name, spec]) => [name, choices(spec.help, spec.choices)]);
  const specs: Options = { ...command.options, ...COMMON_OPTIONS };
  const options = Object.entries(specs).map(([name, spec]) => [
    spec.kind === "flag" ? `--${name}` : `--${name} ${spec.value ?? "TEXT"}`,
    choices(spec.help, spec.choices) +
      (spec.default ? ` (default: ${spec.default})` : "") +
      (spec.required ? " (required)" : "") +
      (spec.many ? " (can be repeated)" : ""),
  ]);
  const settings = command.settings.map((name) => [`${flagOf(name)} VALUE`, `FILEHOST_${name}`, describeSetting(name)]);
  return [
    `${command.summary}.\n`,
    ...(command.details ? [`${command.details}\n`] : []),
    `Usage: filehost ${synopsis(command)} [OPTIONS]\n`,
    ...(args.length > 0 ? [section(`Arguments (or options, such as --${args[0]?.[0]?.toLowerCase()})`, args)] : []),
    section("Options", options),
    // Before the settings, a long list that is the same for most commands.
    section(
      command.examples.length > 1 ? "Examples" : "Example",
      command.examples.map((example) => [example]),
    ),
    ...(settings.length > 0 ? [section("Settings, as flags or environment variables", settings)] : []),
  ].join("\n");
}

/** A command's name and arguments. */
function synopsis(command: Command): string {
  const args = Object.entries(command.args ?? {}).map(
    ([name, { optional, many }]) => (optional ? `[${name}]` : name) + (many ? "..." : ""),
  );
  return [command.name, ...args].join(" ");
}

const choices = (help: string, of: readonly string[] | undefined): string => (of ? `${help}: ${of.join(", ")}` : help);

const section = (title: string, rows: readonly (readonly string[])[]): string => `${title}:\n${alignColumns(rows, "  ")}`;
