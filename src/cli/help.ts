import { flagOf } from "../config/load.ts";
import type { Command, CommandGroup } from "./command.ts";
import { describeOption, optionLabel, optionsOf, synopsis, withChoices } from "./options.ts";
import { describeSetting } from "./settings.ts";
import { describeBelow, describeRows, wrapCommand, wrapText } from "./wrap.ts";

/** The commands that a newcomer needs first. */
const FIRST = ["up", "down", "serve"];

/** The help of `filehost`: what a newcomer needs, then all commands by group. */
export function renderOverview(groups: readonly CommandGroup[], version: string, columns: number): string {
  const all = groups.flatMap((group) => group.commands);
  const first = FIRST.flatMap((name) => all.find((command) => command.name === name) ?? []);
  return [
    `${wrapText(`filehost ${version}: send and fetch files, and host them yourself`, columns)}\n`,
    ...first.map((command) => `${wrapText(`${command.summary}:`, columns)}\n${wrapCommand(command.examples[0] ?? "", columns)}`),
    ...groups.map((group) => section(group.title, describeRows(toFamilies(group.commands), columns), columns)),
    wrapText("Help for a command: filehost COMMAND --help", columns),
    `${wrapText("Exit codes: filehost help exit-codes", columns)}\n`,
  ].join("\n");
}

/** One row for a command, and one for all commands of a family, such as `users`. */
function toFamilies(commands: readonly Command[]): (readonly [string, string])[] {
  const families = Map.groupBy(commands, ({ name }) => name.split(" ")[0] ?? "");
  return [...families].map(([family, members]) => {
    const [only, ...others] = members;
    return only !== undefined && others.length === 0
      ? [only.name, only.summary]
      : [family, members.map(({ name }) => name.slice(family.length + 1)).join(", ")];
  });
}

/** The help of a group of commands, such as `users`. */
export function renderGroup(name: string, commands: readonly Command[], columns: number): string {
  const rows = commands.map((command) => [synopsis(command), command.summary] as const);
  return [
    `Usage: filehost ${name} COMMAND [OPTIONS]\n`,
    section("Commands", describeRows(rows, columns), columns),
    `${wrapText(`Help for a command: filehost ${name} COMMAND --help`, columns)}\n`,
  ].join("\n");
}

/** The help of one command, with its settings if `all`. */
export function renderCommand(command: Command, { columns, all }: { readonly columns: number; readonly all: boolean }): string {
  const args = Object.entries(command.args ?? {}).map(([name, spec]) => [name, withChoices(spec.help, spec.choices)] as const);
  const options = Object.entries(optionsOf(command)).map(([name, spec]) => [optionLabel(name, spec), describeOption(spec)] as const);
  return [
    `${wrapText(`${command.summary}.`, columns)}\n`,
    `${wrapText(`Usage: filehost ${synopsis(command)} [OPTIONS]`, columns)}\n`,
    ...(command.details ? [`${wrapText(command.details, columns)}\n`] : []),
    section(
      command.examples.length > 1 ? "Examples" : "Example",
      command.examples.map((example) => wrapCommand(example, columns)).join(""),
      columns,
    ),
    ...(args.length > 0
      ? [section(`Arguments (or options, such as --${args[0]?.[0].toLowerCase()})`, describeRows(args, columns), columns)]
      : []),
    section("Options", describeRows(options, columns), columns),
    ...renderSettings(command, { columns, all }),
  ].join("\n");
}

/** The settings are a long list that is the same for most commands. */
function renderSettings(command: Command, { columns, all }: { readonly columns: number; readonly all: boolean }): string[] {
  if (command.settings.length === 0) return [];
  if (!all) {
    const [first = "DATA"] = command.settings;
    const text = `Settings such as ${flagOf(first)} (or FILEHOST_${first}) are options too. List them: filehost ${command.name} --help --all`;
    return [`${wrapText(text, columns)}\n`];
  }
  const rows = command.settings.map((name) => [`${flagOf(name)} VALUE, or FILEHOST_${name}`, describeSetting(name)] as const);
  return [section("Settings, as flags or environment variables", describeBelow(rows, columns), columns)];
}

const section = (title: string, body: string, columns: number): string => `${wrapText(`${title}:`, columns)}\n${body}`;

/** Shows the titles of sections in bold on a terminal that can. */
export const emphasizeTitles = (help: string, hasColours: boolean): string =>
  hasColours ? help.replace(/^\S.*:$/gm, "\x1b[1m$&\x1b[0m") : help;
