import type { LoadedConfig } from "../config/load.ts";
import type { SettingName } from "../config/settings.ts";

/** Where a command line is run: its environment, and where results (`out`) and everything else (`err`) go. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  out(text: string): Promise<void>;
  err(text: string): Promise<void>;
  /** Whether a person sees `err` as it comes, on a screen that can be written over. */
  readonly isInteractive?: boolean;
}

/** An option of a command: `--name TEXT`, or a flag that is there or not. */
export interface OptionSpec {
  readonly kind: "text" | "flag";
  readonly help: string;
  /** What stands for the text in the help. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly standard?: string;
  readonly required?: true;
}

/** A word that a command takes by its place, or by its name: `USER` also as `--user ada`. */
export interface ArgumentSpec {
  readonly help: string;
  readonly choices?: readonly string[];
  readonly optional?: true;
}

export type Options = Readonly<Record<string, OptionSpec>>;
export type Arguments = Readonly<Record<string, ArgumentSpec>>;

type Choice<S extends { readonly choices?: readonly string[] }> = S["choices"] extends readonly string[] ? S["choices"][number] : string;

type OptionValue<S extends OptionSpec> = S["kind"] extends "flag"
  ? boolean
  : S extends { readonly required: true } | { readonly standard: string }
    ? Choice<S>
    : Choice<S> | undefined;

type ArgumentValue<S extends ArgumentSpec> = S extends { readonly optional: true } ? Choice<S> | undefined : Choice<S>;

/** Reads environment and flags; throws ConfigError. Its warnings go to stderr, unless the command tells of them itself. */
export type Load = (options?: { readonly warnings: "printed" | "returned" }) => LoadedConfig;

/** What a command is run with: its own words, parsed, and the way to the configuration. */
interface Invocation<O extends Options, A extends Arguments> {
  readonly options: { readonly [Name in keyof O]: OptionValue<O[Name]> };
  readonly args: { readonly [Name in keyof A]: ArgumentValue<A[Name]> };
  readonly load: Load;
  readonly terminal: Terminal;
  readonly asJson: boolean;
}

/** What a command answers: `data` for `--json`, `text` for people, both on stdout; `notes` go to stderr for people alone. */
export interface Result {
  readonly data: unknown;
  readonly text: string;
  readonly notes?: readonly string[];
  readonly exitCode?: number;
}

interface CommandOf<O extends Options, A extends Arguments> {
  /** One word, or two where the first names a group. */
  readonly name: string;
  readonly summary: string;
  /** What the summary leaves open, in full sentences. */
  readonly details?: string;
  readonly args?: A;
  readonly options?: O;
  /** The settings that it takes as flags. */
  readonly settings: readonly SettingName[];
  readonly examples: readonly string[];
  /** Undefined where it has nothing to print. */
  run(invocation: Invocation<O, A>): Promise<Result | undefined>;
}

/** Any command, as the parser and the help see it. */
export interface Command extends Omit<CommandOf<Options, Arguments>, "run"> {
  run(invocation: {
    readonly options: Readonly<Record<string, string | boolean | undefined>>;
    readonly args: Readonly<Record<string, string | undefined>>;
    readonly load: Load;
    readonly terminal: Terminal;
    readonly asJson: boolean;
  }): Promise<Result | undefined>;
}

/** A command whose `run` sees its options and arguments by their names and types. */
export function defineCommand<const O extends Options = Record<never, never>, const A extends Arguments = Record<never, never>>(
  command: CommandOf<O, A>,
): Command {
  // The parser makes values that fit the command's own specifications, which a list of commands cannot express.
  return command as unknown as Command;
}
