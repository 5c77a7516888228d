import type { Command, CommandGroup, ListedCommand } from "../command.ts";
import { synopsis } from "../options/options.ts";
import { describeRows, wrapCommand, wrapText } from "./wrap.ts";

/** The commands that a newcomer needs first, each with its first example: the overview is shown without loading their definitions. */
const FIRST: readonly (readonly [name: string, example: string])[] = [
  ["up", "filehost up report.pdf --expires 7d --copy"],
  ["down", "filehost down https://files.example.org/d/7kXq9Zab"],
  ["serve", "filehost serve"],
];

/** The help of `filehost`: what a newcomer needs, then all commands by group. */
export function renderOverview(groups: readonly CommandGroup[], version: string, columns: number): string {
  const all = groups.flatMap((group) => group.commands);
  const first = FIRST.flatMap(([name, example]) => all.filter((command) => command.name === name).map(({ summary }) => [summary, example]));
  return [
    `${wrapText(`filehost ${version}: send and fetch files, and host them yourself`, columns)}\n`,
    ...first.map(([summary, example = ""]) => `${wrapText(`${summary}:`, columns)}\n${wrapCommand(example, columns)}`),
    ...groups.map((group) => section(group.title, describeRows(toFamilies(group.commands), columns), columns)),
    wrapText("Help for a command: filehost COMMAND --help", columns),
    `${wrapText("Exit codes: filehost help exit-codes", columns)}\n`,
  ].join("\n");
}

/** One row for a command, and one for all commands of a family, such as `users`. */
function toFamilies(commands: readonly ListedCommand[]): (readonly [string, string])[] {
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

export const section = (title: string, body: string, columns: number): string => `${wrapText(`${title}:`, columns)}\n${body}`;

/** Shows the titles of sections in bold on a terminal that can. */
export const emphasizeTitles = (help: string, hasColours: boolean): string =>
  hasColours ? help.replace(/^\S.*:$/gm, "\x1b[1m$&\x1b[0m") : help;
