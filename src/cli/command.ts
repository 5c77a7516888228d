import type { LoadedConfig } from "../config/load.ts";
import type { SettingName } from "../config/settings.ts";
import type { JsonOutput } from "./terminal/json-output.ts";

/** The environment of a command line: variables, standard output (`out`) for results and standard error (`err`) for everything else. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Resolves when the data is written, at the pace of its reader. Rejects with OutputClosed when the reader has closed its end, and with
   * STORAGE_FULL when the data cannot be written.
   */
  out(data: string | Uint8Array): Promise<void>;
  err(text: string): Promise<void>;
  /** Yields the bytes of standard input. */
  input(): AsyncIterable<Uint8Array>;
  /** Whether `err` is a terminal whose last line can be overwritten. */
  readonly isInteractive: boolean;
  /** Whether standard output is a terminal, to which bytes of files must not be written. */
  readonly isOutputTerminal: boolean;
  /** Whether standard input is a terminal, and so has no file. */
  readonly isInputTerminal: boolean;
  /** Whether a person can answer questions. */
  readonly canAsk: boolean;
  /** Whether `out` and `err` may have colours. */
  readonly hasColours: { readonly out: boolean; readonly err: boolean };
  /** Returns the current width of `err`, or of standard output if only that is a terminal; undefined without a terminal. */
  columns(): number | undefined;
  /** Calls `listener` when the width has changed. Returns a function that removes the listener. */
  onResize(listener: () => void): () => void;
  /**
   * Asks a question, and resolves to the answer without its line break. Rejects with VALIDATION_FAILED if nobody can answer, and with Interrupted.
   */
  ask(question: string): Promise<string>;
  /** Asks like `ask`, without showing the answer. */
  askSecret(question: string): Promise<string>;
  /** Asks a question whose answer is yes or no; an empty answer means no. Rejects like `ask`. */
  confirm(question: string): Promise<boolean>;
}

/** What a shell completes for a text: these words, the path of a file or folder, or what this device knows at the time. */
export type Suggested = readonly string[] | "path" | DeviceList;

/** What `filehost completions --list` prints. */
export const DEVICE_LISTS = ["profiles", "servers", "shares"] as const;

export type DeviceList = (typeof DEVICE_LISTS)[number];

/** An option of a command: `--name TEXT`, or a flag without a value. */
export interface OptionSpec {
  readonly kind: "text" | "flag";
  readonly help: string;
  /** The short name, a letter: `o` for `-o`. */
  readonly short?: string;
  /** The placeholder of the value in the help. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly required?: true;
  /** The values that shells suggest if the option has no choices; default: paths for placeholders that name one. */
  readonly suggests?: Suggested;
  /** Whether the option may be given any number of times. */
  readonly many?: true;
  /** The effect of an empty text. Without it, an empty text is an error (command line, "Help"). */
  readonly empty?: "removes";
}

/** A positional argument, which can also be passed as an option: `USER` as `--user ada`. */
export interface ArgumentSpec {
  readonly help: string;
  readonly choices?: readonly string[];
  /** For shells, if it has no choices; default: paths for names that say so. */
  readonly suggests?: Suggested;
  /** For shells: what follows one of these words. */
  readonly suggestsAfter?: Readonly<Record<string, Suggested>>;
  readonly optional?: true;
  /** Whether several values are accepted; none only if the argument is optional. Allowed for the last argument only. */
  readonly many?: true;
}

export type Options = Readonly<Record<string, OptionSpec>>;
export type Arguments = Readonly<Record<string, ArgumentSpec>>;

type Choice<S extends { readonly choices?: readonly string[] }> = S["choices"] extends readonly string[] ? S["choices"][number] : string;

type OptionValue<S extends OptionSpec> = S["kind"] extends "flag"
  ? boolean
  : S extends { readonly many: true }
    ? readonly string[]
    : S extends { readonly required: true } | { readonly default: string }
      ? Choice<S>
      : Choice<S> | undefined;

type ArgumentValue<S extends ArgumentSpec> = S extends { readonly many: true }
  ? readonly string[]
  : S extends { readonly optional: true }
    ? Choice<S> | undefined
    : Choice<S>;

/** Reads the configuration from the environment and flags. Rejects with ConfigError. Prints its warnings to stderr unless they are to be `returned`. */
export type Load = (options?: { readonly warnings: "printed" | "returned" }) => Promise<LoadedConfig>;

/** A command's parsed options and arguments, and access to the configuration and the terminal. */
interface Invocation<O extends Options, A extends Arguments> {
  readonly options: { readonly [Name in keyof O]: OptionValue<O[Name]> };
  readonly args: { readonly [Name in keyof A]: ArgumentValue<A[Name]> };
  readonly load: Load;
  readonly terminal: Terminal;
  /** The output with `--json`; undefined without it. */
  readonly json: JsonOutput | undefined;
  /** Whether to print results and errors only. */
  readonly quiet: boolean;
  /** All commands of the program. */
  readonly groups: readonly CommandGroup[];
}

/**
 * The output of a command on standard output: `data` for `--json`, otherwise `text`. `important` (failures, and secrets that are shown only once) and
 * `notes` are written to standard error, but not with `--json`; `--quiet` hides the notes.
 */
export interface Result {
  readonly data: unknown;
  readonly text: string;
  readonly important?: readonly string[];
  readonly notes?: readonly string[];
  readonly exitCode?: number;
}

interface DefinitionOf<O extends Options, A extends Arguments> {
  /** Additional help, in full sentences. */
  readonly details?: string;
  readonly args?: A;
  readonly options?: O;
  /**
   * Whether the command with `--json` prints lines of JSON during its work, each with its `type`. The last line is the result, of the type `done`.
   */
  readonly jsonLines?: true;
  /** The settings that the command accepts as flags. */
  readonly settings: readonly SettingName[];
  readonly examples: readonly string[];
  /** Runs the command. Resolves to undefined if there is nothing to print. */
  run(invocation: Invocation<O, A>): Promise<Result | undefined>;
}

/** The values of arguments by their names; a list for an argument with `many`. */
export type ParsedArguments = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The values of options by their names; a list for an option with `many`. */
export type ParsedOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The definition of a command, without the types of its options. */
export interface CommandDefinition extends Omit<DefinitionOf<Options, Arguments>, "run"> {
  run(invocation: {
    readonly options: ParsedOptions;
    readonly args: ParsedArguments;
    readonly load: Load;
    readonly terminal: Terminal;
    readonly json: JsonOutput | undefined;
    readonly quiet: boolean;
    readonly groups: readonly CommandGroup[];
  }): Promise<Result | undefined>;
}

interface NamedCommand {
  /** The name: one word, or two if the first is the name of a group. */
  readonly name: string;
  readonly summary: string;
}

/** A command of the list, whose definition is loaded when it is used. */
export interface ListedCommand extends NamedCommand {
  load(): Promise<CommandDefinition>;
}

/** A command with its definition, for the parser and the help. */
export interface Command extends NamedCommand, CommandDefinition {}

/** Commands that the help lists together. */
export interface CommandGroup<C extends NamedCommand = ListedCommand> {
  readonly title: string;
  readonly commands: readonly C[];
}

export const loadCommand = async ({ name, summary, load }: ListedCommand): Promise<Command> => ({ name, summary, ...(await load()) });

export const loadGroups = (groups: readonly CommandGroup[]): Promise<CommandGroup<Command>[]> =>
  Promise.all(groups.map(async ({ title, commands }) => ({ title, commands: await Promise.all(commands.map(loadCommand)) })));

/** Options without the names of arguments, because an argument can also be passed as an option. */
type WithoutNamesOf<A extends Arguments> = { readonly [Name in Lowercase<keyof A & string>]?: never };

/** Defines a command whose `run` receives its options and arguments with their types. */
export function defineCommand<const O extends Options = Record<never, never>, const A extends Arguments = Record<never, never>>(
  command: DefinitionOf<O, A> & { readonly options?: WithoutNamesOf<A> },
): CommandDefinition {
  // The parser's values match the command's specifications, which the type of a list of commands cannot express.
  return command as unknown as CommandDefinition;
}
