import type { CompletedCommand, CompletedProgram, Values } from "./model.ts";

/** Returns a script that bash sources. It needs no other package. */
export function bashCompletions({ commands, firstWords, families }: CompletedProgram): string {
  const cases = (rows: readonly (readonly [pattern: string, action: string])[]): string =>
    rows.map(([pattern, action]) => `    ${pattern}) ${action} ;;\n`).join("");
  return `# bash completion for filehost. Install: filehost completions bash --help
_filehost() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words="" kind=""
  COMPREPLY=()
  # bash splits --name=value into three words.
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quote(firstWords.map(([word]) => word).join(" "))} -- "$current"))
    return
  fi
  if [ "$command" = help ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      COMPREPLY=($(compgen -W ${quote(firstWords.map(([word]) => word).join(" "))} -- "$current"))
      return
    fi
    command="\${COMP_WORDS[2]}"
    [ "$COMP_CWORD" -eq 3 ] || return
  fi
  case "$command" in
${cases(
  [...families].map(([family, verbs]) => [
    family,
    `words=${quote(verbs.map(([verb]) => verb).join(" "))}
      if [ "$COMP_CWORD" -eq 2 ] || [ "\${COMP_WORDS[1]}" = help ]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        return
      fi
      command="$command \${COMP_WORDS[2]}"`,
  ]),
)}    *) [ "\${COMP_WORDS[1]}" != help ] || return ;;
  esac
  case "$command $previous" in
${cases(commands.flatMap((command) => [...optionValues(command), ...nextWords(command)]))}  esac
  if [ -z "$kind" ]; then
    case "$command" in
${cases(
  commands.map(({ name, options, argument }) => [
    quote(name),
    `case "$current" in
        -*) kind=words words=${quote(options.map(({ long }) => `--${long}`).join(" "))} ;;
        *) ${toAction(argument ?? "unknown")} ;;
      esac`,
  ]),
)}    esac
  fi
  case "$kind" in
    list) COMPREPLY=($(compgen -W "$(filehost completions --list "$words" 2>/dev/null)" -- "$current")) ;;
    words) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    path) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
}
complete -F _filehost filehost
`;
}

const optionValues = ({ name, options }: CompletedCommand): (readonly [string, string])[] =>
  options.flatMap(({ long, short, values }) => {
    if (values === undefined) return [];
    const pattern = [`--${long}`, ...(short === undefined ? [] : [`-${short}`])].map((option) => quote(`${name} ${option}`)).join(" | ");
    return [[pattern, toAction(values)] as const];
  });

const nextWords = ({ name, after }: CompletedCommand): (readonly [string, string])[] =>
  after.map(([word, values]) => [quote(`${name} ${word}`), toAction(values)] as const);

function toAction(values: Values): string {
  if (values === "path") return "kind=path";
  if (typeof values === "object" && "list" in values) return `kind=list words=${values.list}`;
  return values === "unknown" ? "kind=none" : `kind=words words=${quote(values.join(" "))}`;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
