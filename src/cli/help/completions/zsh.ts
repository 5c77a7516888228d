import type { CompletedCommand, CompletedProgram, Values } from "./model.ts";

/** Returns a function of zsh's completion system: a file `_filehost` in its `fpath`, or a script that is sourced after `compinit`. */
export function zshCompletions({ commands, firstWords, families }: CompletedProgram): string {
  return `#compdef filehost
# zsh completion for filehost. Install: filehost completions zsh --help
_filehost() {
  local -a entries
  local name
  if (( CURRENT == 2 )) || { (( CURRENT == 3 )) && [[ $words[2] == help ]]; }; then
    entries=(
${entries(firstWords)}    )
    _describe -t commands command entries
    return
  fi
  if [[ $words[2] == help ]]; then
    shift words
    (( CURRENT-- ))
  fi
  name=$words[2]
  case $name in
${[...families]
  .map(
    ([family, verbs]) => `    ${family})
      if (( CURRENT == 3 )); then
        entries=(
${entries(verbs)}        )
        _describe -t commands command entries
        return
      fi
      name="$name $words[3]"
      shift words
      (( CURRENT-- )) ;;
`,
  )
  .join("")}  esac
  shift words
  (( CURRENT-- ))
  case $name in
${commands.map(toCase).join("")}  esac
}
# Sourced, it registers itself; in the fpath, it is the function to run.
if [[ $funcstack[1] == _filehost ]]; then
  _filehost "$@"
else
  compdef _filehost filehost
fi
`;
}

const entries = (rows: readonly (readonly [word: string, summary: string])[]): string =>
  rows.map(([word, summary]) => `      ${quote(`${word}:${summary}`)}\n`).join("");

function toCase({ name, options, argument }: CompletedCommand): string {
  const specs = options.map(({ long, short, help, values }) => {
    const text = `[${help.replace(/[[\]\\]/g, "\\$&")}]${values === undefined ? "" : `:${long}:${toAction(values)}`}`;
    return short === undefined ? quote(`*--${long}${text}`) : `{-${short},--${long}}${quote(text)}`;
  });
  const all = argument === undefined ? specs : [...specs, quote(`*:argument:${toAction(argument)}`)];
  return `    ${quote(name)}) _arguments ${all.join(" \\\n      ")} ;;\n`;
}

function toAction(values: Values): string {
  if (values === "path") return "_files";
  return values === "unknown" ? " " : `(${values.join(" ")})`;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
