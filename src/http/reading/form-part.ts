/** The head of a form's part (RFC 7578, 4). */
export interface FormPartHead {
  /** The name of the field, which is never empty. */
  readonly field: string;
  /** The sent file name; undefined if the part has none, empty if no file was chosen in a browser. */
  readonly fileName: string | undefined;
  /** The media type in lower case, without parameters; undefined if none is declared. */
  readonly type: string | undefined;
  /** The character set that the part declares. */
  readonly charset: string | undefined;
}

/** A parameter's value in quotes, in which a backslash precedes a quote or a backslash. curl before 7.81 sends this form. */
const QUOTED = /^"((?:[^"\\]|\\[\s\S])*)"[ \t]*(?=;|$)/;
/** A parameter's value in quotes, in which browsers do not escape a backslash. */
const RAW_QUOTED = /^"([^"]*)"[ \t]*(?=;|$)/;
const UNQUOTED = /^([^";]+)(?=;|$)/;
const PARAMETER_NAME = /^;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*/;
const LAST_SEMICOLONS = /^[; \t]*$/;

/** Reads the head of a part; undefined if it is malformed, not a form's, has no field name, or encodes the content. */
export function parsePartHead(head: Uint8Array): FormPartHead | undefined {
  const lines = parseLines(new TextDecoder("utf-8", { ignoreBOM: true }).decode(head));
  const disposition = lines && parseParameters(lines.get("content-disposition") ?? "");
  if (!lines || disposition?.value !== "form-data") return undefined;
  const type = parseParameters(lines.get("content-type") ?? "");
  const field = findName(disposition.parameters, "name");
  const fileName = findName(disposition.parameters, "filename");
  if (!type || !field || fileName === null || isEncoded(lines.get("content-transfer-encoding"))) return undefined;
  return { field, fileName, type: type.value || undefined, charset: type.parameters.get("charset") };
}

/** Returns the lines by name; undefined if one is malformed or repeated, because readers differ in which line they use. */
function parseLines(text: string): ReadonlyMap<string, string> | undefined {
  const lines = new Map<string, string>();
  const unfolded = text.replace(/\r\n[ \t]+/g, " ");
  for (const line of unfolded.split("\r\n")) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n\0]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || lines.has(name.toLowerCase())) return undefined;
    lines.set(name.toLowerCase(), value.trim());
  }
  return lines;
}

interface Parameters {
  /** The value in lower case. */
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads `value; name=value; …`; undefined if it is malformed or a parameter is repeated. */
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
  return raw ? { value: (raw[1] ?? "").trim(), length: raw[0].length } : undefined;
}

/** Finds a name, or its extended form (RFC 8187), which takes precedence; undefined if it is missing, null if it is malformed. */
function findName(parameters: ReadonlyMap<string, string>, name: string): string | undefined | null {
  const extended = parameters.get(`${name}*`);
  if (extended === undefined) return parameters.get(name);
  const [, charset = "", encoded] = /^(utf-8|iso-8859-1)'[^']*'([^']*)$/i.exec(extended) ?? [];
  if (encoded === undefined || /%(?![\da-f]{2})/i.test(encoded)) return null;
  const bytes = Buffer.from(
    encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  return charset.toLowerCase() === "utf-8" ? bytes.toString("utf8") : bytes.toString("latin1");
}

/** Returns whether the content is encoded and not the bytes of the file. No known program sends encoded parts (RFC 7578, 4.7). */
const isEncoded = (encoding: string | undefined): boolean => encoding !== undefined && !/^(?:7bit|8bit|binary)$/i.test(encoding);
