import type { Command, CommandGroup } from "../../command.ts";
import { ALL_SETTINGS, flagName } from "../../options/option-settings.ts";
import { optionsOf } from "../../options/options.ts";

/** What a shell completes: one of these words, a path, or nothing that is known. */
export type Values = readonly string[] | "path" | "unknown";

interface CompletedOption {
  readonly long: string;
  readonly short: string | undefined;
  readonly help: string;
  /** Undefined for a flag. */
  readonly values: Values | undefined;
}

export interface CompletedCommand {
  /** One word, or two. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  readonly argument: Values | undefined;
}

export interface CompletedProgram {
  readonly commands: readonly CompletedCommand[];
  /** The first words, with what they do. */
  readonly firstWords: readonly (readonly [word: string, summary: string])[];
  /** The second words of each first word that has them. */
  readonly families: ReadonlyMap<string, readonly (readonly [word: string, summary: string])[]>;
}

/** What all shells complete, from the definitions that the parser and the help use. */
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
  // Others take a few of the settings, which would hide their own options.
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
