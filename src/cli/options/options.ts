import type { Command, OptionSpec } from "../command.ts";

/** The options that every command accepts. */
const COMMON_OPTIONS = {
  json: { kind: "flag", help: "Print the result as JSON" },
  quiet: { kind: "flag", short: "q", help: "Print results and errors only" },
  help: { kind: "flag", short: "h", help: "Show this help" },
} as const satisfies Record<string, OptionSpec>;

const HELP_WITH_SETTINGS = { ...COMMON_OPTIONS.help, help: "Show this help; with --all also the settings" };

const JSON_LINES = { kind: "flag", help: "Print progress and the result as lines of JSON" } as const satisfies OptionSpec;

/** The short names of options, which are the same in every command. */
const SHORT_NAMES: Readonly<Record<string, string>> = { output: "o", yes: "y" };

/** Lists the options of a command and the common options, in the order of the help. */
export const optionsOf = (command: Pick<Command, "options" | "jsonLines" | "settings">): Readonly<Record<string, OptionSpec>> =>
  Object.fromEntries(
    Object.entries({
      ...command.options,
      ...COMMON_OPTIONS,
      ...(command.jsonLines && { json: JSON_LINES }),
      ...(command.settings.length > 0 && { help: HELP_WITH_SETTINGS }),
    }).map(([name, spec]: readonly [string, OptionSpec]) => {
      const short = spec.short ?? SHORT_NAMES[name];
      return [name, short === undefined ? spec : { ...spec, short }];
    }),
  );

/** Returns `-o, --output PATH`. Without a short name, the long one is in the same column. */
export function optionLabel(name: string, spec: OptionSpec): string {
  return `${spec.short === undefined ? "    " : `-${spec.short}, `}--${name}${spec.kind === "flag" ? "" : ` ${spec.value ?? "TEXT"}`}`;
}

/** Describes an option with its choices and its default. */
export function describeOption(spec: OptionSpec): string {
  return (
    withChoices(spec.help, spec.choices) +
    (spec.default ? ` (default: ${spec.default})` : "") +
    (spec.required ? " (required)" : "") +
    (spec.empty ? " (an empty text removes it)" : "") +
    (spec.many ? " (can be repeated)" : "")
  );
}

export const withChoices = (help: string, choices: readonly string[] | undefined): string =>
  choices ? `${help}: ${choices.join(", ")}` : help;

/** Returns the name and arguments of a command: `takedown [ID]...` */
export function synopsis(command: Pick<Command, "name" | "args">): string {
  const args = Object.entries(command.args ?? {}).map(
    ([name, { optional, many }]) => (optional ? `[${name}]` : name) + (many ? "..." : ""),
  );
  return [command.name, ...args].join(" ");
}
