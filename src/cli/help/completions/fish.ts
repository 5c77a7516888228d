import type { CompletedProgram, Values } from "./model.ts";

/** Returns a script that fish sources, or that is the file `filehost.fish` in its folder of completions. */
export function fishCompletions({ commands, firstWords, families }: CompletedProgram): string {
  const isFirst = quote("__filehost_at");
  const lines = [
    ...firstWords.map(([word, summary]) => `complete -c filehost -n ${isFirst} -a ${quote(word)} -d ${quote(summary)}`),
    ...firstWords.map(([word, summary]) => `complete -c filehost -n ${quote("__filehost_at help")} -a ${quote(word)} -d ${quote(summary)}`),
    ...[...families].flatMap(([family, verbs]) =>
      [family, `help ${family}`].flatMap((words) =>
        verbs.map(([verb, summary]) => `complete -c filehost -n ${quote(`__filehost_at ${words}`)} -a ${quote(verb)} -d ${quote(summary)}`),
      ),
    ),
    ...commands.flatMap(({ name, options, argument }) => [
      ...options.map(
        ({ long, short, help, values }) =>
          `complete -c filehost -n ${quote(`__filehost_in ${name}`)} -l ${long}${short === undefined ? "" : ` -s ${short}`}${values === undefined ? "" : toFlags(values)} -d ${quote(help)}`,
      ),
      ...(argument === undefined || argument === "unknown"
        ? []
        : [`complete -c filehost -n ${quote(`__filehost_in ${name}`)} ${argument === "path" ? "-F" : `-a ${quote(argument.join(" "))}`}`]),
    ]),
  ];
  return `# fish completion for filehost. Install: filehost completions fish --help
# Whether the words so far are these alone.
function __filehost_at
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv"
end
# Whether the words so far begin with these.
function __filehost_in
    set -l words (commandline -opc)
    set -l last (math (count $argv) + 1)
    test (count $words) -ge $last; and test "$words[2..$last]" = "$argv"
end
complete -c filehost -f
${lines.join("\n")}
`;
}

function toFlags(values: Values): string {
  if (values === "path") return " -r -F";
  return values === "unknown" ? " -x" : ` -x -a ${quote(values.join(" "))}`;
}

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
