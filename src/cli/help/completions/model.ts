import type { Command, CommandGroup } from "../../command.ts";
import { ALL_SETTINGS, flagName } from "../../options/option-settings.ts";
import { optionsOf } from "../../options/options.ts";

/** The values that a shell completes: words, a path, or none that are known. */
export type Values = readonly string[] | "path" | "unknown";

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
  return {
    commands: commands.map(toCompleted),
    firstWords: [...singles, ...ofFamilies, ["help", "Show the help of a command"]],
    families,
  };
}

function toCompleted(command: Command): CompletedCommand {
  const options = Object.entries(optionsOf(command)).map(([long, spec]) => ({
    long,
    short: spec.short,
    help: spec.help,
    values: spec.kind === "flag" ? undefined : (spec.choices ?? toValues(spec.value ?? "")),
  }));
  // Commands with few settings do not list them, because they would hide the command's own options.
  const settings = command.settings.length === ALL_SETTINGS.length ? command.settings : [];
  const args = Object.entries(command.args ?? {});
  const choices = args.flatMap(([, spec]) => spec.choices ?? []);
  const isPath = args.some(([name]) => toValues(name) === "path");
  return {
    name: command.name,
    summary: command.summary,
    options: [
      ...options,
      ...settings.map((name) => ({ long: flagName(name), short: undefined, help: `FILEHOST_${name}`, values: "unknown" as const })),
    ],
    argument: args.length === 0 ? undefined : isPath ? "path" : choices.length > 0 ? choices : "unknown",
  };
}

const toValues = (placeholder: string): Values => (/^(PATH|FILE|FOLDER|DIR)$/.test(placeholder) ? "path" : "unknown");
