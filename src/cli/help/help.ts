import type { Command, CommandGroup, ListedCommand } from "../command.ts";
import { synopsis } from "../options/options.ts";
import { describeRows, wrapCommand, wrapText } from "./wrap.ts";

/** The first commands of a newcomer, each with its first example. The examples are repeated here, so that the overview loads no definitions. */
const FIRST: readonly (readonly [name: string, example: string])[] = [
  ["up", "filehost up report.pdf --expires 7d --copy"],
  ["down", "filehost down https://files.example.org/d/7kXq9Zab"],
  ["serve", "filehost serve"],
];

/** Renders the help of `filehost`: the first commands of a newcomer, then all commands by group. If `all`, each command of a family has a row. */
export function renderOverview(
  groups: readonly CommandGroup[],
  version: string,
  { columns, all: isAll }: { readonly columns: number; readonly all: boolean },
): string {
  const toRows = isAll ? toEach : toFamilies;
  const all = groups.flatMap((group) => group.commands);
  const first = FIRST.flatMap(([name, example]) => all.filter((command) => command.name === name).map(({ summary }) => [summary, example]));
  return [
    `${wrapText(`filehost ${version}: send and fetch files, and host them yourself`, columns)}\n`,
    ...first.map(([summary, example = ""]) => `${wrapText(`${summary}:`, columns)}\n${wrapCommand(example, columns)}`),
    ...groups.map((group) => section(group.title, describeRows(toRows(group.commands), columns), columns)),
    wrapText("Help for a command: filehost COMMAND --help", columns),
    ...(isAll ? [] : [wrapText("All commands: filehost --help --all", columns)]),
    `${wrapText("Exit codes: filehost help exit-codes", columns)}\n`,
  ].join("\n");
}

const toEach = (commands: readonly ListedCommand[]): (readonly [string, string])[] =>
  commands.map(({ name, summary }) => [name, summary] as const);

/** Joins all commands of a family, such as `users`, in one row. Other commands have their own row. */
function toFamilies(commands: readonly ListedCommand[]): (readonly [string, string])[] {
  const families = Map.groupBy(commands, ({ name }) => name.split(" ")[0] ?? "");
  return [...families].map(([family, members]) => {
    const [only, ...others] = members;
    return only !== undefined && others.length === 0
      ? [only.name, only.summary]
      : [family, members.map(({ name }) => name.slice(family.length + 1)).join(", ")];
  });
}

/** Renders the help of a group of commands, such as `users`. */
export function renderGroup(name: string, commands: readonly Command[], columns: number): string {
  const rows = commands.map((command) => [synopsis(command), command.summary] as const);
  return [
    `Usage: filehost ${name} COMMAND [OPTIONS]\n`,
    section("Commands", describeRows(rows, columns), columns),
    `${wrapText(`Help for a command: filehost ${name} COMMAND --help`, columns)}\n`,
  ].join("\n");
}

export const section = (title: string, body: string, columns: number): string => `${wrapText(`${title}:`, columns)}\n${body}`;

/** Makes the titles of sections bold on a terminal with colours. */
export const emphasizeTitles = (help: string, hasColours: boolean): string =>
  hasColours ? help.replace(/^\S.*:$/gm, "\x1b[1m$&\x1b[0m") : help;
