import { SETTINGS, type Setting, type SettingKey, type SettingName } from "../../../config/settings.ts";
import type { ArgumentSpec, Command, CommandGroup, DeviceList, OptionSpec, Suggested } from "../../command.ts";
import { ALL_SETTINGS, settingFlags } from "../../options/option-settings.ts";
import { optionsOf } from "../../options/options.ts";

/** The values that a shell completes: words, a path, a list of the device at the time of completion, or none that are known. */
export type Values = readonly string[] | "path" | "unknown" | { readonly list: DeviceList };

interface CompletedOption {
  readonly long: string;
  readonly short: string | undefined;
  readonly help: string;
  /** The values of the option; undefined for a flag. */
  readonly values: Values | undefined;
}

export interface CompletedCommand {
  /** The name, in one or two words. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  readonly argument: Values | undefined;
  /** What follows a word, such as the name of a setting. */
  readonly after: readonly (readonly [word: string, values: Values])[];
}

export interface CompletedProgram {
  readonly commands: readonly CompletedCommand[];
  /** The first words, each with its summary. */
  readonly firstWords: readonly (readonly [word: string, summary: string])[];
  /** The second words of each first word that has some. */
  readonly families: ReadonlyMap<string, readonly (readonly [word: string, summary: string])[]>;
}

/** Converts the definitions that the parser and the help use to the model that all shells complete. */
export function toCompletions(groups: readonly CommandGroup<Command>[]): CompletedProgram {
  const commands = groups.flatMap((group) => group.commands);
  const families = new Map<string, (readonly [string, string])[]>();
  for (const { name, summary } of commands) {
    const [family = "", verb] = name.split(" ");
    if (verb !== undefined) families.set(family, [...(families.get(family) ?? []), [verb, summary]]);
  }
  const singles = commands.filter(({ name }) => !name.includes(" ")).map(({ name, summary }) => [name, summary] as const);
  const ofFamilies = [...families].map(([family, verbs]) => [family, verbs.map(([verb]) => verb).join(", ")] as const);
  const firstWords = [...singles, ...ofFamilies, ["help", "Show the help of a command"] as const];
  return {
    commands: commands.map((command) => (command.name === "man" ? toManual(command, firstWords, families) : toCompleted(command))),
    firstWords,
    families,
  };
}

function toCompleted(command: Command): CompletedCommand {
  const options = Object.entries(optionsOf(command)).map(([long, spec]) => ({
    long,
    short: spec.short,
    help: spec.help,
    values: spec.kind === "flag" ? undefined : toValues(spec, spec.value ?? ""),
  }));
  // Commands with few settings do not list them, because they would hide the command's own options.
  const flags = command.settings.length === ALL_SETTINGS.length ? settingFlags(command.settings) : new Map<string, SettingKey>();
  const args = Object.entries(command.args ?? {});
  return {
    name: command.name,
    summary: command.summary,
    options: [...options, ...[...flags].map(([long, key]) => ({ long, short: undefined, help: `FILEHOST_${key}`, values: valuesOf(key) }))],
    argument: args.length === 0 ? undefined : merge(args.map(([name, spec]) => toValues(spec, name))),
    after: args.flatMap(([, { suggestsAfter = {} }]) =>
      Object.entries(suggestsAfter).map(([word, next]) => [word, fromSuggested(next)] as const),
    ),
  };
}

/** The command whose arguments are those of another. */
function toManual(command: Command, firstWords: CompletedProgram["firstWords"], families: CompletedProgram["families"]): CompletedCommand {
  return {
    ...toCompleted(command),
    argument: firstWords.map(([word]) => word).filter((word) => word !== "help"),
    after: [...families].map(([family, verbs]) => [family, verbs.map(([verb]) => verb)] as const),
  };
}

function toValues({ choices, suggests }: Pick<OptionSpec | ArgumentSpec, "choices" | "suggests">, placeholder: string): Values {
  if (choices !== undefined) return choices;
  if (suggests !== undefined) return fromSuggested(suggests);
  if (placeholder === "TIME") return TIMES;
  return /^(PATH|FILE|FOLDER|DIR)$/.test(placeholder) ? "path" : "unknown";
}

/** The times that shells suggest: the most frequent ones. */
const TIMES = ["1h", "1d", "7d", "30d"];

function fromSuggested(suggested: Suggested): Values {
  if (suggested === "path") return suggested;
  if (typeof suggested === "string") return { list: suggested };
  return suggested.length === 0 ? "unknown" : suggested;
}

const valuesOf = (key: SettingKey): Values => {
  const setting: Setting | undefined = Object.hasOwn(SETTINGS, key) ? SETTINGS[key as SettingName] : undefined;
  return setting === undefined ? "path" : (setting.suggests ?? "unknown");
};

/** Merges the values of several arguments. Shells complete one kind of value, so paths replace all others. */
function merge(all: readonly Values[]): Values {
  if (all.includes("path")) return "path";
  const list = all.find((values) => typeof values === "object" && "list" in values);
  const words = all.flatMap((values) => (Array.isArray(values) ? (values as readonly string[]) : []));
  return list ?? (words.length > 0 ? words : "unknown");
}
