import type { CompletedCommand, CompletedProgram, Values } from "./model.ts";

/** Returns a function of zsh's completion system: a file `_filehost` in its `fpath`, or a script that is sourced after `compinit`. */
export function zshCompletions({ commands, firstWords, families }: CompletedProgram): string {
  return `#compdef filehost
# zsh completion for filehost. Install: filehost completions zsh --help
# What this device knows. Other arguments come from _arguments.
_filehost_list() {
  compadd "\${(@)argv[1,-2]}" -- \${(f)"$(filehost completions --list $argv[-1] 2>/dev/null)"}
}
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

function toCase({ name, options, argument, after }: CompletedCommand): string {
  const specs = options.map(({ long, short, help, values }) => {
    const text = `[${help.replace(/[[\]\\]/g, "\\$&")}]${values === undefined ? "" : `:${long}:${toAction(values)}`}`;
    return short === undefined ? quote(`*--${long}${text}`) : `{-${short},--${long}}${quote(text)}`;
  });
  // A word in braces is evaluated.
  const next = after.map(([word, values]) => `${quote(word)}) ${toCommand(values)} ;; `).join("");
  const action =
    after.length === 0
      ? toAction(argument ?? "unknown")
      : `{ case $words[CURRENT-1] in ${next}*) ${toCommand(argument ?? "unknown")} ;; esac }`;
  const all = argument === undefined ? specs : [...specs, quote(`*:argument:${action}`)];
  return `    ${quote(name)}) _arguments ${all.join(" \\\n      ")} ;;\n`;
}

function toAction(values: Values): string {
  if (values === "path") return "_files";
  if (typeof values === "object" && "list" in values) return `_filehost_list ${values.list}`;
  return values === "unknown" ? " " : `(${values.join(" ")})`;
}

/** Converts values to the zsh command that completes them. */
function toCommand(values: Values): string {
  if (values === "path") return "_files";
  if (values === "unknown") return "_message argument";
  return "list" in values ? `_filehost_list ${values.list}` : `compadd -- ${values.join(" ")}`;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
