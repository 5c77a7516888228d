import { flagOf } from "../../config/load.ts";
import type { Command } from "../command.ts";
import { describeSetting } from "../options/option-settings.ts";
import { describeOption, optionLabel, optionsOf, synopsis, withChoices } from "../options/options.ts";
import { environmentOf } from "./environment.ts";
import { section } from "./help.ts";
import { describeBelow, describeRows, wrapCommand, wrapText } from "./wrap.ts";

/** Renders the help of one command, with its settings and its variables of the environment if `all`. */
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

/** Renders the settings and the variables of the environment, long lists that are the same for most commands. */
function renderSettings(command: Command, { columns, all }: { readonly columns: number; readonly all: boolean }): string[] {
  const [first] = command.settings;
  if (!all && first === undefined) return [`${wrapText(`Environment variables: filehost ${command.name} --help --all`, columns)}\n`];
  if (!all && first !== undefined) {
    const text = `Settings such as ${flagOf(first)} (or FILEHOST_${first}) are options too. List them: filehost ${command.name} --help --all`;
    return [`${wrapText(text, columns)}\n`];
  }
  const rows = command.settings.map((name) => [`${flagOf(name)} VALUE, or FILEHOST_${name}`, describeSetting(name)] as const);
  return [
    ...(rows.length > 0 ? [section("Settings, as flags or environment variables", describeBelow(rows, columns), columns)] : []),
    section("Environment variables", describeBelow(environmentOf(command), columns), columns),
  ];
}
