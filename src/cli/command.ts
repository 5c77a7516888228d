import type { LoadedConfig } from "../config/load.ts";
import type { SettingName } from "../config/settings.ts";

/** The environment of a command line: variables, standard output (`out`) for results and standard error (`err`) for everything else. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Resolves when the data is written, at the pace of its reader. Rejects with OutputClosed when the reader has closed its end, and with
   * STORAGE_FULL when the data cannot be written.
   */
  out(data: string | Uint8Array): Promise<void>;
  err(text: string): Promise<void>;
  /** The bytes of standard input. */
  input(): AsyncIterable<Uint8Array>;
  /** Whether `err` is a terminal, whose last line can be overwritten: not a dumb one. */
  readonly isInteractive: boolean;
  /** Whether standard output is a terminal: bytes of files must not go there. */
  readonly isOutputTerminal: boolean;
  /** Whether standard input is a terminal: nobody has sent a file there. */
  readonly isInputTerminal: boolean;
  /** Whether somebody can answer questions. */
  readonly canAsk: boolean;
  /** Whether `out` and `err` may have colours. */
  readonly hasColours: { readonly out: boolean; readonly err: boolean };
  /** The width of `err` now, or of standard output if only that is a terminal; undefined without a terminal. */
  columns(): number | undefined;
  /** Calls `listener` when the width has changed. Returns a function that ends this. */
  onResize(listener: () => void): () => void;
  /** The answer to a question, without its line break. Rejects with VALIDATION_FAILED if nobody can answer, and with Interrupted. */
  ask(question: string): Promise<string>;
  /** Asks like `ask`, and does not show what is typed. */
  askSecret(question: string): Promise<string>;
  /** Asks a question whose answer is yes or no; no if it is empty. Rejects as `ask`. */
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
  /** One letter: `o` for `-o`. */
  readonly short?: string;
  /** Placeholder of the text in the help. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly required?: true;
  /** For shells, if it has no choices; default: paths for placeholders that say so. */
  readonly suggests?: Suggested;
  /** A text that may be given several times, or never. */
  readonly many?: true;
  /** What an empty text does; without it, an empty text is an error (command line, "Help"). */
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
  /** One or more, if it is optional also none. Only the last argument. */
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
  readonly asJson: boolean;
  /** Whether to print results and errors only. */
  readonly quiet: boolean;
  /** All commands of the program. */
  readonly groups: readonly CommandGroup[];
}

/**
 * A command's output on stdout: `data` for `--json`, otherwise `text`. What is `important` (failures, and
 * secrets that are shown only once) and `notes` go to stderr, but not with `--json`; `--quiet` leaves out the notes.
 */
export interface Result {
  readonly data: unknown;
  readonly text: string;
  readonly important?: readonly string[];
  readonly notes?: readonly string[];
  readonly exitCode?: number;
}

interface DefinitionOf<O extends Options, A extends Arguments> {
  /** More help, in full sentences. */
  readonly details?: string;
  readonly args?: A;
  readonly options?: O;
  /** Whether the command with `--json` prints lines of JSON while it works, each with its `type`; the last one is the result, of the type `done`. */
  readonly jsonLines?: true;
  /** The settings that the command accepts as flags. */
  readonly settings: readonly SettingName[];
  readonly examples: readonly string[];
  /** Resolves to undefined if there is nothing to print. */
  run(invocation: Invocation<O, A>): Promise<Result | undefined>;
}

/** The texts of arguments by their names, of one with `many` a list. */
export type ParsedArguments = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The values of options by their names, of one with `many` a list. */
export type ParsedOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The definition of a command, without the types of its options. */
export interface CommandDefinition extends Omit<DefinitionOf<Options, Arguments>, "run"> {
  run(invocation: {
    readonly options: ParsedOptions;
    readonly args: ParsedArguments;
    readonly load: Load;
    readonly terminal: Terminal;
    readonly asJson: boolean;
    readonly quiet: boolean;
    readonly groups: readonly CommandGroup[];
  }): Promise<Result | undefined>;
}

interface NamedCommand {
  /** One word, or two if the first is the name of a group. */
  readonly name: string;
  readonly summary: string;
}

/** A command in the list of all, whose definition is loaded when it is used. */
export interface ListedCommand extends NamedCommand {
  load(): Promise<CommandDefinition>;
}

/** A command for the parser and the help. */
export interface Command extends NamedCommand, CommandDefinition {}

/** Commands that the help lists together. */
export interface CommandGroup<C extends NamedCommand = ListedCommand> {
  readonly title: string;
  readonly commands: readonly C[];
}

export const loadCommand = async ({ name, summary, load }: ListedCommand): Promise<Command> => ({ name, summary, ...(await load()) });

export const loadGroups = (groups: readonly CommandGroup[]): Promise<CommandGroup<Command>[]> =>
  Promise.all(groups.map(async ({ title, commands }) => ({ title, commands: await Promise.all(commands.map(loadCommand)) })));

/** An argument is also an option, so that no option can have its name. */
type WithoutNamesOf<A extends Arguments> = { readonly [Name in Lowercase<keyof A & string>]?: never };

/** Defines a command whose `run` receives its options and arguments with their types. */
export function defineCommand<const O extends Options = Record<never, never>, const A extends Arguments = Record<never, never>>(
  command: DefinitionOf<O, A> & { readonly options?: WithoutNamesOf<A> },
): CommandDefinition {
  // The parser's values match the command's specifications, which the type of a list of commands cannot express.
  return command as unknown as CommandDefinition;
}
