import { flagOf } from "../../config/load.ts";
import { VERSION } from "../../version.ts";
import type { Command, CommandGroup } from "../command.ts";
import { EXIT_CODES, errorsWith } from "../exit-codes.ts";
import { describeSetting } from "../options/option-settings.ts";
import { describeOption, optionsOf, synopsis, withChoices } from "../options/options.ts";
import { CLIENT_ENVIRONMENT, ENVIRONMENT, environmentOf, isClientCommand, type Row } from "./environment.ts";

interface ManPage {
  /** The file name, such as `filehost-users-create.1`. */
  readonly fileName: string;
  /** The text in the man macros of roff. */
  readonly text: string;
}

/** Makes one page for the program and one for each command. `made`: the date that they show. */
export function toManPages(groups: readonly CommandGroup<Command>[], made: Date): readonly ManPage[] {
  const commands = groups.flatMap((group) => group.commands);
  const heading = (name: string): string =>
    `.TH "${toRoff(name.toUpperCase())}" "1" "${made.toISOString().slice(0, 10)}" "filehost ${toRoff(VERSION)}" "filehost manual"`;
  const toPage = (name: string, sections: readonly string[]): ManPage => ({
    fileName: `${name}.1`,
    text: `${breakLines([heading(name), ...sections].join("\n"))}\n`,
  });
  return [
    toPage("filehost", mainSections(groups)),
    ...commands.map((command) => toPage(pageName(command.name), commandSections(command, commands))),
  ];
}

/** Converts `users create` to `filehost-users-create`. */
const pageName = (command: string): string => `filehost-${command.replaceAll(" ", "-")}`;

function mainSections(groups: readonly CommandGroup<Command>[]): string[] {
  return [
    section("NAME", "filehost \\- send and fetch files, and host them yourself"),
    section("SYNOPSIS", `.B filehost\n${toRoff("COMMAND [OPTIONS]")}`),
    section(
      "DESCRIPTION",
      paragraphs(
        "The commands by group. Each has its own page: that of filehost serve is filehost-serve(1). filehost COMMAND --help shows less of it.",
      ),
    ),
    ...groups.map(({ title, commands }) =>
      section(
        title.toUpperCase(),
        commands.map((command) => tagged(bold(`filehost ${synopsis(command)}`), `${command.summary}.`)).join("\n"),
      ),
    ),
    section(
      "OPTIONS",
      [
        tagged(`${bold("-h")}, ${bold("--help")}`, "Show the help; after a command, the help of the command."),
        tagged(`${bold("-v")}, ${bold("--version")}`, "Print the version."),
      ].join("\n"),
    ),
    section(
      "EXIT STATUS",
      EXIT_CODES.map(([code, meaning]) => {
        const errors = errorsWith(code);
        return tagged(bold(String(code)), errors.length === 0 ? `${meaning}.` : `${meaning}. Error codes: ${errors.join(", ")}.`);
      }).join("\n"),
    ),
    section("ENVIRONMENT", toRows([...CLIENT_ENVIRONMENT, ...ENVIRONMENT])),
    section("FILES", toRows([...CLIENT_FILES, ...SERVER_FILES])),
    section("SEE ALSO", seeAlso(groups.flatMap(({ commands }) => commands.map(({ name }) => pageName(name))))),
  ];
}

function commandSections(command: Command, commands: readonly Command[]): string[] {
  const name = pageName(command.name);
  const args = Object.entries(command.args ?? {});
  const options = optionsOf(command);
  const isClient = isClientCommand(command);
  const relatives = commands.filter((other) => other.name !== command.name && other.name.split(" ")[0] === command.name.split(" ")[0]);
  return [
    section("NAME", `${toRoff(name)} \\- ${toRoff(command.summary)}`),
    section("SYNOPSIS", `.B ${toRoff(`filehost ${synopsis(command)}`)}\n${toRoff("[OPTIONS]")}`),
    section("DESCRIPTION", paragraphs(command.details ?? `${command.summary}.`)),
    ...(args.length === 0
      ? []
      : [section("ARGUMENTS", args.map(([arg, spec]) => tagged(bold(arg), `${withChoices(spec.help, spec.choices)}.`)).join("\n"))]),
    section(
      "OPTIONS",
      Object.entries(options)
        .map(([option, spec]) => {
          const names = [...(spec.short === undefined ? [] : [bold(`-${spec.short}`)]), bold(`--${option}`)].join(", ");
          return tagged(spec.kind === "flag" ? names : `${names} \\fI${toRoff(spec.value ?? "TEXT")}\\fR`, `${describeOption(spec)}.`);
        })
        .join("\n"),
    ),
    ...(command.settings.length === 0
      ? []
      : [
          section(
            "SETTINGS",
            command.settings
              .map((setting) => tagged(`${bold(flagOf(setting))}, ${bold(`FILEHOST_${setting}`)}`, `${describeSetting(setting)}.`))
              .join("\n"),
          ),
        ]),
    section(
      "EXIT STATUS",
      `${toRows(EXIT_CODES.map(([code, meaning]) => [String(code), `${meaning}.`]))}\n.PP\n${toRoff("filehost(1) has the error codes of each.")}`,
    ),
    section("ENVIRONMENT", toRows(environmentOf(command))),
    ...(isClient ? [section("FILES", toRows(CLIENT_FILES))] : []),
    ...(command.settings.length > 0 ? [section("FILES", toRows(SERVER_FILES))] : []),
    section("EXAMPLES", command.examples.map(code).join("\n.PP\n")),
    section("SEE ALSO", seeAlso(["filehost", ...relatives.map((other) => pageName(other.name))])),
  ];
}

const CLIENT_FILES: readonly Row[] = [
  ["~/.config/filehost/config.json", "The profiles."],
  ["~/.config/filehost/credentials/", "Their secrets, where there is no keyring."],
  ["~/.local/state/filehost/", "What this device remembers of shares, uploads, downloads, imports and purchases."],
];

const SERVER_FILES: readonly Row[] = [
  ["data/", "The folder FILEHOST_DATA: the database filehost.db, the secret, blobs, staging and quarantine."],
];

const toRows = (rows: readonly Row[]): string => rows.map(([name, text]) => tagged(bold(name), text)).join("\n");

const seeAlso = (names: readonly string[]): string => names.map((name) => `${bold(name)}(1)`).join(",\n");

/** Linters count 80, with what they replace other characters than ASCII by. */
const MAX_BYTES = 72;

/** Continues long lines of the source on the next one, which changes nothing of the page: mandoc warns of them. */
function breakLines(text: string): string {
  let isCode = false;
  let isTag = false;
  const lines = text.split("\n").map((line) => {
    const isMacro = line.startsWith(".");
    if (line === ".nf" || line === ".fi") isCode = line === ".nf";
    const isWhole = isCode || isTag;
    isTag = line === ".TP";
    if (isMacro || Buffer.byteLength(line) <= MAX_BYTES) return line;
    return breakLine(line, isWhole);
  });
  return lines.join("\n");
}

/** Breaks a line at blanks. One that must be `isWhole` stays one for roff, which joins what follows a backslash at its end. */
function breakLine(line: string, isWhole: boolean): string {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(isWhole ? /(?<= )/ : " ")) {
    const next = isWhole || current === "" ? current + word : `${current} ${word}`;
    if (current !== "" && Buffer.byteLength(next) >= MAX_BYTES) {
      lines.push(current);
      current = word;
    } else current = next;
  }
  return [...lines, current]
    .map((part, index) => (index === 0 || isWhole ? part : part.replace(/^[.']/, "\\&$&")))
    .join(isWhole ? "\\\n" : "\n");
}

const section = (title: string, body: string): string => `.SH "${toRoff(title)}"\n${body}`;

const tagged = (tag: string, text: string): string => `.TP\n${tag}\n${toRoff(text)}`;

const bold = (text: string): string => `\\fB${toRoff(text)}\\fR`;

const code = (text: string): string => `.nf\n.RS 4\n${text.split("\n").map(toRoff).join("\n")}\n.RE\n.fi`;

/** Formats paragraphs. Code, whose first line begins with a brace or two spaces, is not filled. */
const paragraphs = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map((paragraph, index) => {
      const start = index === 0 ? "" : ".PP\n";
      if (/^(?:\{| {2})/.test(paragraph)) return start + code(paragraph);
      const items = paragraph.split(/\n(?=\d+\. |- )/).map((item) => toRoff(item.replaceAll("\n", " ")));
      return `${start}${items.join("\n.br\n")}`;
    })
    .join("\n");

/** Escapes text for roff: its hyphens can be copied, and it contains no requests. */
const toRoff = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1");
