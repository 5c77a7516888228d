import { parseArgs } from "node:util";
import type { SettingKey } from "../config/settings.ts";
import { didYouMean } from "../lib/suggestions.ts";
import type { ArgumentSpec, Command, OptionSpec, ParsedArguments, ParsedOptions } from "./command.ts";
import { UsageError } from "./failure.ts";
import { flagName, settingFlags } from "./settings.ts";

export interface ParsedLine {
  readonly help: boolean;
  readonly options: ParsedOptions;
  readonly args: ParsedArguments;
  /** Settings given as flags. */
  readonly settings: Readonly<Partial<Record<SettingKey, string>>>;
}

/** The options that every command accepts. */
export const COMMON_OPTIONS = {
  json: { kind: "flag", help: "Print the result as JSON" },
  help: { kind: "flag", help: "Show this help (also -h)" },
} as const satisfies Record<string, OptionSpec>;

/** Parses the words after a command's name. Throws UsageError. With `--help`, nothing else is checked. */
export function parseLine(command: Command, words: readonly string[]): ParsedLine {
  const settings = settingFlags(command.settings);
  const specs: Readonly<Record<string, OptionSpec>> = { ...command.options, ...COMMON_OPTIONS };
  const args = new Map(Object.keys(command.args ?? {}).map((name) => [name.toLowerCase(), name]));
  const isText = (name: string): boolean => settings.has(name) || args.has(name) || specs[name]?.kind === "text";
  const { tokens } = parseArgs({
    args: [...words],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      ...Object.fromEntries(
        [...Object.keys(specs), ...args.keys(), ...settings.keys()].map((name) => [
          name,
          { type: isText(name) ? "string" : "boolean" } as const,
        ]),
      ),
      help: { type: "boolean", short: "h" },
    },
  });
  const fail = (message: string): UsageError => new UsageError(message, `filehost ${command.name} --help`);
  const given = new Map<string, string | true>();
  const positionals: string[] = [];
  const repeated = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    if (token.name === "help") return { help: true, options: {}, args: {}, settings: {} };
    if (!settings.has(token.name) && !args.has(token.name) && !Object.hasOwn(specs, token.name))
      throw fail(unknownOption(command, token.rawName, [...Object.keys(specs), ...args.keys(), ...settings.keys()]));
    const value = isText(token.name) ? readText(token, fail) : readFlag(token, fail);
    given.set(token.name, value);
    if (typeof value === "string") repeated.set(token.name, [...(repeated.get(token.name) ?? []), value]);
  }
  return {
    help: false,
    options: readOptions(command, { given, repeated }, fail),
    args: readArguments(command, { given, repeated, positionals }, fail),
    settings: Object.fromEntries([...settings].map(([flag, name]) => [name, given.get(flag)]).filter(([, text]) => text !== undefined)),
  };
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

type Fail = (message: string) => UsageError;

function readText({ rawName, value, inlineValue }: OptionToken, fail: Fail): string {
  if (value === undefined) throw fail(`${rawName} requires a value.`);
  if (!inlineValue && value.startsWith("-") && value.length > 1)
    throw fail(`${rawName} requires a value. To use ${value}, write ${rawName}=${value}`);
  return value;
}

function readFlag({ rawName, value }: OptionToken, fail: Fail): true {
  if (value !== undefined) throw fail(`${rawName} takes no value.`);
  return true;
}

function unknownOption(command: Command, rawName: string, known: readonly string[]): string {
  const own = Object.keys(command.options ?? {})
    .concat(Object.keys(COMMON_OPTIONS))
    .map(dashed);
  const settings = command.settings.map(flagName).map(dashed);
  const beside = settings.length > 0 ? `, and the settings ${settings.join(", ")}` : "";
  const guess = didYouMean(dashed(rawName.replace(/^-+/, "")), known.map(dashed));
  return `filehost ${command.name} has no option ${rawName}.${guess} Its options: ${own.join(", ")}${beside}.`;
}

const dashed = (name: string): string => `--${name}`;

function readOptions(command: Command, { given, repeated }: Omit<Words, "positionals">, fail: Fail): ParsedOptions {
  const read = Object.entries(command.options ?? {}).map(([name, spec]) => {
    if (spec.kind === "flag") return [name, given.has(name)] as const;
    if (spec.many) return [name, repeated.get(name) ?? []] as const;
    const text = given.get(name) ?? spec.default;
    if (text === undefined && spec.required)
      throw fail(`filehost ${command.name} requires --${name} ${spec.value ?? "TEXT"}: ${spec.help}.`);
    if (typeof text === "string") checkChoice(`--${name}`, text, spec.choices, fail);
    return [name, text] as const;
  });
  return Object.fromEntries(read);
}

interface Words {
  readonly given: ReadonlyMap<string, string | true>;
  /** Every text of each option. */
  readonly repeated: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

/** Reads arguments by position, or by name as options: `USER` also as `--user ada`. */
function readArguments(command: Command, { given, repeated, positionals }: Words, fail: Fail): ParsedLine["args"] {
  const left = [...positionals];
  const missing = (name: string, { help }: ArgumentSpec) => fail(`filehost ${command.name} requires ${name}: ${help}.`);
  const read = Object.entries(command.args ?? {}).map(([name, spec]) => {
    if (spec.many) {
      const texts = [...(repeated.get(name.toLowerCase()) ?? []), ...left.splice(0)];
      if (texts.length === 0 && !spec.optional) throw missing(name, spec);
      return [name, texts] as const;
    }
    const named = given.get(name.toLowerCase());
    const text = typeof named === "string" ? named : left.shift();
    if (text === undefined && !spec.optional) throw missing(name, spec);
    if (text !== undefined) checkChoice(name, text, spec.choices, fail);
    return [name, text] as const;
  });
  const [extra] = left;
  if (extra !== undefined) throw fail(`filehost ${command.name} has no argument for "${extra}".`);
  return Object.fromEntries(read);
}

function checkChoice(what: string, text: string, choices: readonly string[] | undefined, fail: Fail): void {
  if (choices && !choices.includes(text)) throw fail(`"${text}" is not valid for ${what}. Choose one of ${choices.join(", ")}.`);
}
