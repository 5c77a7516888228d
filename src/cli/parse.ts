import { parseArgs } from "node:util";
import type { SettingKey } from "../config/settings.ts";
import { closeTo } from "../lib/text/suggestions.ts";
import type { Command, OptionSpec, ParsedArguments, ParsedOptions } from "./command.ts";
import { UsageError } from "./failure.ts";
import { describeRows, textColumns } from "./help/wrap.ts";
import { optionsOf, withChoices } from "./options/options.ts";

export interface ParsedLine {
  /** The requested help; `all` includes the settings. */
  readonly help: "short" | "all" | undefined;
  readonly asJson: boolean;
  readonly quiet: boolean;
  readonly options: ParsedOptions;
  readonly args: ParsedArguments;
  /** Settings that are given as flags. */
  readonly settings: Readonly<Partial<Record<SettingKey, string>>>;
}

/**
 * Parses the words after a command's name. Rejects with UsageError, also for an empty text, such as an unset variable, unless the option defines its
 * effect. With `--help`, checks only the names of options.
 */
export async function parseLine(command: Command, words: readonly string[]): Promise<ParsedLine> {
  const settings = await loadSettingFlags(command);
  const specs = optionsOf(command);
  const args = new Map(Object.keys(command.args ?? {}).map((name) => [name.toLowerCase(), name]));
  const isText = (name: string): boolean => settings.has(name) || args.has(name) || specs[name]?.kind === "text";
  const { tokens } = parseArgs({
    args: [...words],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      [...Object.keys(specs), ...args.keys(), ...settings.keys()].map((name) => {
        const short = specs[name]?.short;
        return [name, { type: isText(name) ? "string" : "boolean", ...(short !== undefined && { short }) } as const];
      }),
    ),
  });
  const fail = (message: string): UsageError => new UsageError(message, `filehost ${command.name} --help`);
  const isKnown = (name: string): boolean => settings.has(name) || args.has(name) || Object.hasOwn(specs, name);
  const sent = tokens.filter((token) => token.kind === "option");
  const isGiven = (name: string): boolean => sent.some((token) => token.name === name);
  const asksForHelp = isGiven("help");
  for (const { name, rawName, index } of sent) {
    if (isKnown(name) || (asksForHelp && name === "all")) continue;
    throw fail(
      unknownOption(command, { rawName, word: words[index] ?? rawName }, [...Object.keys(specs), ...args.keys(), ...settings.keys()]),
    );
  }
  for (const token of sent) if (token.name === "help") readFlag(token, fail);
  if (asksForHelp) return { help: isGiven("all") ? "all" : "short", asJson: false, quiet: false, options: {}, args: {}, settings: {} };
  const given = new Map<string, string | true>();
  const positionals: string[] = [];
  const repeated = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(readPositional(token.value, fail));
    if (token.kind !== "option") continue;
    const value = isText(token.name) ? readText(token, specs[token.name], fail) : readFlag(token, fail);
    given.set(token.name, value);
    if (typeof value === "string") repeated.set(token.name, [...(repeated.get(token.name) ?? []), value]);
  }
  const missing: Missing[] = [];
  const options = readOptions(command, { given, repeated, missing }, fail);
  const read = readArguments(command, { given, repeated, positionals, missing }, fail);
  if (missing.length > 0) throw fail(describeMissing(command, missing));
  return {
    help: undefined,
    asJson: given.has("json"),
    quiet: given.has("quiet"),
    options,
    args: read,
    settings: Object.fromEntries([...settings].map(([flag, name]) => [name, given.get(flag)]).filter(([, text]) => text !== undefined)),
  };
}

/** Loads the flags of settings. Most commands of a client have no settings, whose definitions take time to load. */
async function loadSettingFlags({ settings }: Command): Promise<ReadonlyMap<string, SettingKey>> {
  if (settings.length === 0) return new Map();
  const { settingFlags } = await import("./options/option-settings.ts");
  return settingFlags(settings);
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

type Fail = (message: string) => UsageError;

const UNSET = "If it comes from a variable, check that the variable is set.";

function readPositional(text: string, fail: Fail): string {
  if (text === "") throw fail(`An argument is empty. ${UNSET}`);
  return text;
}

function readText({ rawName, value, inlineValue }: OptionToken, spec: OptionSpec | undefined, fail: Fail): string {
  if (value === undefined) throw fail(`${rawName} requires a value.`);
  if (value === "" && spec?.empty === undefined) throw fail(`${rawName} is empty. ${UNSET}`);
  if (!inlineValue && value.startsWith("-") && value.length > 1)
    throw fail(`${rawName} requires a value. To use ${value}, write ${rawName}=${value}`);
  return value;
}

function readFlag({ rawName, value }: OptionToken, fail: Fail): true {
  if (value !== undefined) throw fail(`${rawName} takes no value.`);
  return true;
}

interface UnknownOption {
  readonly rawName: string;
  /** The word that contains the option. It may be the name of a file: `-photo.jpg` is a list of letters. */
  readonly word: string;
}

function unknownOption(command: Command, { rawName, word }: UnknownOption, known: readonly string[]): string {
  const mayBeName = rawName.startsWith("--") ? rawName.includes(".") : word.length > 2;
  const text = mayBeName ? word : rawName;
  const name = text.replace(/^-+/, "");
  const other = OTHER_OPTIONS.find(([names]) => names.includes(name.toLowerCase()))?.[1].find((option) => known.includes(option));
  const close = other ?? closeTo(name, known);
  const meant = close === undefined ? "" : ` Did you mean "--${close}"?`;
  const isName = mayBeName && Object.keys(command.args ?? {}).length > 0;
  const advice = isName ? ` If it is a name, put -- before the names: filehost ${command.name} -- ${word}` : "";
  return `filehost ${command.name} has no option ${text}.${meant}${advice}`;
}

/** Names that other programs use for options, each with the options that it may mean. */
const OTHER_OPTIONS: readonly (readonly [names: readonly string[], options: readonly string[]])[] = [
  [
    ["password", "pass", "passcode", "pin", "lock", "unlock-code"],
    ["password", "protect", "code", "passphrase"],
  ],
  [
    ["expiry", "expire", "expires", "expires-at", "expiration", "ttl", "days", "lifetime", "until", "retention"],
    ["expires", "expires-at", "until"],
  ],
  [["out", "outfile", "output-file", "save-as"], ["output"]],
  [["dir", "directory", "dest", "destination", "path", "folder-id"], ["folder"]],
  [["overwrite", "replace", "clobber"], ["force"]],
  [["limit-downloads", "downloads", "max"], ["max-downloads"]],
  [["server", "host", "endpoint"], ["url"]],
  [["key", "api-key", "token"], ["key-file"]],
  [["no-confirm", "assume-yes"], ["yes"]],
  [
    ["filename", "file-name", "as"],
    ["name", "file-name"],
  ],
  [["e2e", "e2ee", "secret"], ["encrypt"]],
];

/** A required option or argument that was not given. */
interface Missing {
  readonly label: string;
  readonly help: string;
}

/** Describes all missing options and arguments in one message. */
function describeMissing(command: Command, missing: readonly Missing[]): string {
  const [first, ...more] = missing;
  if (first !== undefined && more.length === 0) return `filehost ${command.name} requires ${first.label}: ${first.help}.`;
  const names = new Intl.ListFormat("en").format(missing.map(({ label }) => label));
  const rows = missing.map(({ label, help }) => [label, help] as const);
  return `filehost ${command.name} requires ${names}:\n${describeRows(rows, textColumns(undefined)).trimEnd()}`;
}

interface Words {
  readonly given: ReadonlyMap<string, string | true>;
  /** Every text of each option, by its name. */
  readonly repeated: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
  /** Receives missing options and arguments. */
  readonly missing: Missing[];
}

function readOptions(command: Command, { given, repeated, missing }: Omit<Words, "positionals">, fail: Fail): ParsedOptions {
  const read = Object.entries(command.options ?? {}).map(([name, spec]) => {
    if (spec.kind === "flag") return [name, given.has(name)] as const;
    if (spec.many) return [name, repeated.get(name) ?? []] as const;
    const text = given.get(name) ?? spec.default;
    if (text === undefined && spec.required) missing.push({ label: `--${name} ${spec.value ?? "TEXT"}`, help: spec.help });
    if (typeof text === "string") checkChoice(`--${name}`, text, spec.choices, fail);
    return [name, text] as const;
  });
  return Object.fromEntries(read);
}

/** Reads arguments by position, or by name as options: `USER` also as `--user ada`. */
function readArguments(command: Command, { given, repeated, positionals, missing }: Words, fail: Fail): ParsedLine["args"] {
  const left = [...positionals];
  const read = Object.entries(command.args ?? {}).map(([name, spec]) => {
    const miss = (): void => void missing.push({ label: name, help: withChoices(spec.help, spec.choices) });
    if (spec.many) {
      const texts = [...(repeated.get(name.toLowerCase()) ?? []), ...left.splice(0)];
      if (texts.length === 0 && !spec.optional) miss();
      return [name, texts] as const;
    }
    const named = given.get(name.toLowerCase());
    const text = typeof named === "string" ? named : left.shift();
    if (text === undefined && !spec.optional) miss();
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
