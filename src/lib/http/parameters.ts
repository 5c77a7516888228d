/** A parameter's value in quotes, in which a backslash precedes a quote or a backslash, as curl before 7.81 sends it. */
const QUOTED = /^"((?:[^"\\]|\\[\s\S])*)"[ \t]*(?=;|$)/;
/** Browsers send a backslash as it is, also as the last character. */
const RAW_QUOTED = /^"([^"]*)"[ \t]*(?=;|$)/;
const UNQUOTED = /^([^";]+)(?=;|$)/;
const PARAMETER_NAME = /^;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*/;
const LAST_SEMICOLONS = /^[; \t]*$/;

interface Parameters {
  /** In lower case. */
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads a header's `value; name=value; …`. Undefined if it is malformed or a parameter is repeated. */
export function parseParameters(text: string): Parameters | undefined {
  const end = text.indexOf(";");
  const value = (end < 0 ? text : text.slice(0, end)).trim().toLowerCase();
  const parameters = new Map<string, string>();
  let rest = end < 0 ? "" : text.slice(end);
  while (!LAST_SEMICOLONS.test(rest)) {
    const [start, name] = PARAMETER_NAME.exec(rest) ?? [];
    if (start === undefined || name === undefined || parameters.has(name.toLowerCase())) return undefined;
    rest = rest.slice(start.length);
    const found = parseValue(rest);
    if (!found) return undefined;
    parameters.set(name.toLowerCase(), found.value);
    rest = rest.slice(found.length);
  }
  return { value, parameters };
}

function parseValue(text: string): { readonly value: string; readonly length: number } | undefined {
  const quoted = QUOTED.exec(text);
  if (quoted) return { value: (quoted[1] ?? "").replace(/\\(["\\])/g, "$1"), length: quoted[0].length };
  const raw = RAW_QUOTED.exec(text) ?? UNQUOTED.exec(text);
  return raw ? { value: trimSpaces(raw[1] ?? ""), length: raw[0].length } : undefined;
}

/** Removes spaces of ASCII alone: `trim` also removes bytes of other characters. */
export const trimSpaces = (text: string): string => text.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, "");
