import { receiveUncaughtErrors } from "../lib/system/uncaught-errors.ts";
import { closeTo } from "../lib/text/suggestions.ts";
import { VERSION } from "../version.ts";
import { type Command, type ListedCommand, type Load, loadCommand, type Result, type Terminal } from "./command.ts";
import { commandGroups } from "./commands.ts";
import { renderExitCodes } from "./exit-codes.ts";
import { describeFailure, UsageError } from "./failure.ts";
import { emphasizeTitles, renderGroup, renderOverview } from "./help/help.ts";
import { textColumns } from "./help/wrap.ts";
import { parseLine } from "./parse.ts";
import { suggestCommand, suggestSecond } from "./suggest-command.ts";
import { createJsonOutput, type JsonOutput, toJsonError } from "./terminal/json-output.ts";
import { toPlainLines } from "./terminal/text.ts";

/** The topics of `filehost help TOPIC`, beside commands. */
const HELP_TOPICS: Readonly<Record<string, (columns: number) => string>> = { "exit-codes": renderExitCodes };

const commands: readonly ListedCommand[] = commandGroups.flatMap((group) => group.commands);

/** Runs a command line (the words after the program's name) and resolves to its exit code. Never rejects. */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  const asJson = words.includes("--json");
  const uncaught = Promise.withResolvers<never>();
  using _ = receiveUncaughtErrors(({ error }) => uncaught.reject(error));
  try {
    return await Promise.race([runArguments(words, terminal), uncaught.promise]);
  } catch (error) {
    const failure = describeFailure(error, terminal.env);
    if (failure.text !== "") await terminal.err(asJson ? toJsonError(failure.body) : `${toPlainLines(failure.text)}\n`);
    return failure.exitCode;
  }
}

async function runArguments(words: readonly string[], terminal: Terminal): Promise<number> {
  const columns = textColumns(terminal.columns());
  const found = findCommand(words, columns);
  if ("show" in found) {
    const { out, err } = terminal.hasColours;
    const text = await found.show();
    await (found.isAsked ? terminal.out(emphasizeTitles(text, out)) : terminal.err(emphasizeTitles(text, err)));
    return found.isAsked ? 0 : 2;
  }
  const command = await loadCommand(found.command);
  const line = await parseLine(command, found.rest);
  if (line.help) {
    const { renderCommand } = await import("./help/command-help.ts");
    const help = renderCommand(command, { columns, all: line.help === "all" });
    await terminal.out(emphasizeTitles(help, terminal.hasColours.out));
    return 0;
  }
  const warnings: string[] = [];
  const load: Load = async ({ warnings: wanted } = { warnings: "printed" }) => {
    const [{ loadConfig }, { setAddonFolder }] = await Promise.all([import("../config/load.ts"), import("../lib/system/addon-folder.ts")]);
    const loaded = loadConfig(terminal.env, line.settings);
    setAddonFolder(loaded.config.dataDir);
    if (wanted === "printed") warnings.push(...loaded.warnings);
    return loaded;
  };
  const { options, args, quiet } = line;
  const json = line.asJson ? createJsonOutput(command, terminal) : undefined;
  const result = await command.run({ options, args, load, terminal, json, quiet, groups: commandGroups }).catch(async (error: unknown) => {
    const { rewordError } = await import("./reword-errors.ts");
    throw rewordError(command, error);
  });
  if (!result) return 0;
  if (!quiet) for (const warning of warnings) await terminal.err(`${warning}\n`);
  return await print(await reworded(command, result), terminal, { json, quiet });
}

/** Words refusals within a result like the errors of the command. */
async function reworded(command: Command, result: Result): Promise<Result> {
  if (result.important === undefined || result.important.length === 0) return result;
  const { rewordMessage } = await import("./reword-errors.ts");
  return { ...result, important: result.important.map((text) => rewordMessage(text, command)) };
}

async function print(
  { data, text, important = [], notes = [], exitCode = 0 }: Result,
  terminal: Terminal,
  { json, quiet }: { readonly json: JsonOutput | undefined; readonly quiet: boolean },
): Promise<number> {
  if (json) await json.result(data);
  else {
    await terminal.out(text);
    for (const line of quiet ? important : [...important, ...notes]) await terminal.err(`${toPlainLines(line)}\n`);
  }
  return exitCode;
}

type Found =
  | { readonly command: ListedCommand; readonly rest: readonly string[] }
  | { readonly show: () => string | Promise<string>; readonly isAsked: boolean };

function findCommand(words: readonly string[], columns: number): Found {
  const [first, second] = words;
  const showOverview = (): string => renderOverview(commandGroups, VERSION, { columns, all: words.includes("--all") });
  if (first === undefined) return { show: showOverview, isAsked: false };
  if (first === "--help" || first === "-h") return { show: showOverview, isAsked: true };
  if (first === "help" && second === "--all") return { show: showOverview, isAsked: true };
  if (first === "help") return showHelp(words.slice(1), columns);
  if (first === "--version" || first === "-v") return findCommand(["version", ...words.slice(1)], columns);
  if (first.startsWith("-")) throw new UsageError(`A command is missing before ${first}.`, "filehost --help");
  const single = commands.find((command) => command.name === first);
  if (single) return { command: single, rest: words.slice(1) };
  const inGroup = commands.filter((command) => command.name.startsWith(`${first} `));
  if (inGroup.length === 0) throw unknownCommand(first);
  if (second === undefined || second === "--help" || second === "-h") {
    const show = async (): Promise<string> => renderGroup(first, await Promise.all(inGroup.map(loadCommand)), columns);
    return { show, isAsked: second !== undefined };
  }
  const double = inGroup.find((command) => command.name === `${first} ${second}`);
  if (double) return { command: double, rest: words.slice(2) };
  const meant = suggestSecond(
    second,
    inGroup.map(({ name }) => name.slice(first.length + 1)),
  );
  throw new UsageError(
    `There is no command "${first} ${second}".${meant === undefined ? "" : ` Did you mean "${first} ${meant}"?`}`,
    `filehost ${first} --help`,
  );
}

/** Shows the help of `filehost help users create`, or of a topic such as `exit-codes`. */
function showHelp(words: readonly string[], columns: number): Found {
  const topic = words.length === 1 ? HELP_TOPICS[words[0] ?? ""] : undefined;
  return topic ? { show: () => topic(columns), isAsked: true } : findCommand([...words, "--help"], columns);
}

function unknownCommand(word: string): UsageError {
  const firstWords = [...new Set(commands.map((command) => command.name.split(" ")[0] ?? ""))];
  const meant = suggestCommand(word, firstWords);
  const isOtherName = meant !== undefined && closeTo(word, [meant]) === undefined;
  return new UsageError(
    `There is no command "${word}".${meant === undefined ? "" : ` Did you mean "${meant}"?`}`,
    isOtherName ? `filehost ${meant.split(" ")[0]} --help` : "filehost --help",
  );
}
