import { flagOf } from "../../config/load.ts";
import { VERSION } from "../../version.ts";
import type { Command, CommandGroup } from "../command.ts";
import { EXIT_CODES, errorsWith } from "../exit-codes.ts";
import { describeSetting } from "../options/option-settings.ts";
import { describeOption, optionsOf, synopsis, withChoices } from "../options/options.ts";

interface ManPage {
  /** The file name, such as `filehost-users-create.1`. */
  readonly fileName: string;
  /** The text in the man macros of roff. */
  readonly text: string;
}

/** Makes one page for the program and one for each command. */
export const toManPages = (groups: readonly CommandGroup<Command>[]): readonly ManPage[] => [
  toMainPage(groups),
  ...groups.flatMap((group) => group.commands.map(toCommandPage)),
];

/** Converts `users create` to `filehost-users-create`. */
const pageName = (command: string): string => `filehost-${command.replaceAll(" ", "-")}`;

function toMainPage(groups: readonly CommandGroup<Command>[]): ManPage {
  const text = [
    heading("filehost"),
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
      "EXIT STATUS",
      EXIT_CODES.map(([code, meaning]) => {
        const errors = errorsWith(code);
        return tagged(bold(String(code)), errors.length === 0 ? `${meaning}.` : `${meaning}. Error codes: ${errors.join(", ")}.`);
      }).join("\n"),
    ),
    section(
      "ENVIRONMENT",
      [
        tagged(bold("FILEHOST_SERVER"), "The address of the filehost that commands use."),
        tagged(bold("FILEHOST_KEY, FILEHOST_KEY_FILE"), "The API key, or a file that has it."),
        tagged(bold("FILEHOST_UNLOCK_CODE"), "The unlock code of protected shares."),
        tagged(bold("FILEHOST_PURCHASE_TOKEN"), "The purchase token of a priced share."),
        tagged(bold("HTTPS_PROXY, HTTP_PROXY, NO_PROXY"), "The proxy for requests, and the hosts that are reached without it."),
        tagged(bold("NO_COLOR"), "If it is set, nothing is coloured."),
      ].join("\n"),
    ),
  ];
  return { fileName: "filehost.1", text: `${text.join("\n")}\n` };
}

function toCommandPage(command: Command): ManPage {
  const name = pageName(command.name);
  const args = Object.entries(command.args ?? {});
  const text = [
    heading(name),
    section("NAME", `${toRoff(name)} \\- ${toRoff(command.summary)}`),
    section("SYNOPSIS", `.B ${toRoff(`filehost ${synopsis(command)}`)}\n${toRoff("[OPTIONS]")}`),
    section("DESCRIPTION", paragraphs(command.details ?? `${command.summary}.`)),
    ...(args.length === 0
      ? []
      : [section("ARGUMENTS", args.map(([arg, spec]) => tagged(bold(arg), `${withChoices(spec.help, spec.choices)}.`)).join("\n"))]),
    section(
      "OPTIONS",
      Object.entries(optionsOf(command))
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
    section("EXAMPLES", command.examples.map(code).join("\n.PP\n")),
    section("SEE ALSO", "\\fBfilehost\\fR(1)"),
  ];
  return { fileName: `${name}.1`, text: `${text.join("\n")}\n` };
}

const heading = (name: string): string => `.TH "${toRoff(name.toUpperCase())}" "1" "" "filehost ${toRoff(VERSION)}" "filehost manual"`;

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
