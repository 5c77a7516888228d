/** Names that unify the output of all commands, independent of the operation (json output, "Names"). */
const NAMES: Readonly<Record<string, string>> = {
  shareUrl: "url",
  requestUrl: "url",
  link: "url",
  size: "sizeBytes",
  bytes: "sizeBytes",
  total_size: "sizeBytes",
  mimeType: "contentType",
  isUploading: "uploading",
  shareStatus: "shareState",
};

/** Names of lists, by the name of their number. */
const COUNTS: Readonly<Record<string, string>> = { files: "fileCount", folders: "folderCount" };

/** The `status` of a file is its `state`; other statuses, such as that of a check, keep their name. */
const FILE_STATUSES: ReadonlySet<unknown> = new Set(["active", "expired", "deleted", "dmca_removed"]);

/** States that operations name differently. */
const STATES: Readonly<Record<string, string>> = { dmca_removed: "taken_down", usedUp: "used_up" };

/** Members that repeat others. */
const REPEATED: ReadonlySet<string> = new Set(["shortCode", "sharePath", "isUsedUp"]);

/** What a command's definition says about its output. */
interface Printing {
  readonly options?: object | undefined;
  /** Whether it prints events while it works. */
  readonly jsonLines?: true | undefined;
}

/** An event that a command prints while it works. The last line of such a command is its result, of the type `done`. */
export interface JsonEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The output of a command with `--json`. */
export interface JsonOutput {
  /** Prints an event as one line on standard output. Rejects like `Terminal.out`. */
  line(event: JsonEvent): Promise<void>;
  /** Prints the result of the command on standard output. Rejects like `Terminal.out`. */
  result(data: unknown): Promise<void>;
}

interface Printed {
  out(text: string): Promise<void>;
}

/** Creates the output of a command with `--json`: lines if it prints events, otherwise one indented value. */
export function createJsonOutput(command: Printing, terminal: Printed): JsonOutput {
  const toShown = async (data: unknown): Promise<unknown> => toJsonNames(await withWords(data, command));
  const line = async (event: JsonEvent): Promise<void> => await terminal.out(`${JSON.stringify(await toShown(event))}\n`);
  return {
    line,
    result: async (data) =>
      command.jsonLines
        ? await line({ type: "done", ...(data as object) })
        : await terminal.out(`${JSON.stringify(await toShown(data), null, 2)}\n`),
  };
}

/** Returns the line for an error of a command with `--json`. Its message is already in the words of the command. */
export const toJsonError = (body: Readonly<Record<string, unknown>>): string => `${JSON.stringify(toJsonNames(body))}\n`;

/** Renames the members of a value for `--json`. The `url` of an operation, beside the link of the share, leads to the bytes. */
function toJsonNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonNames);
  if (!isObject(value)) return value;
  const hasBytesUrl = "shareUrl" in value && "url" in value;
  const entries = Object.entries(value).flatMap(([name, content]) => {
    if (REPEATED.has(name)) return [];
    if (hasBytesUrl && name === "url") return [["downloadUrl", content] as const];
    if (hasBytesUrl && name === "shareUrl") return [["url", content] as const];
    const other = nameOf(name, content);
    const shown = other !== name && Object.hasOwn(value, other) ? name : other;
    if (shown === "state" && "isUsedUp" in value && value.isUsedUp === true) return [[shown, "used_up"] as const];
    return [[shown, /^(s|shareS)tate$/.test(shown) ? toState(content) : toJsonNames(content)] as const];
  });
  return Object.fromEntries(entries);
}

function nameOf(name: string, content: unknown): string {
  if (name === "status" && FILE_STATUSES.has(content)) return "state";
  if (typeof content === "number" && COUNTS[name] !== undefined) return COUNTS[name];
  return NAMES[name] ?? toCamelCase(name);
}

const toState = (content: unknown): unknown => (typeof content === "string" ? (STATES[content] ?? content) : content);

/** Renames `short_id` to `shortId`, and `size_bytes` to `sizeBytes`. */
const toCamelCase = (name: string): string =>
  /^[a-z]+(_[a-z]+)+$/.test(name) ? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name;

/** Rewords the errors within a value, beside their `errorCode`, like the errors of the command. */
async function withWords(value: unknown, command: Printing): Promise<unknown> {
  if (!hasErrors(value)) return value;
  const { rewordMessage } = await import("../reword-errors.ts");
  const reword = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(reword);
    if (!isObject(one)) return one;
    const isRefusal = isError(one);
    const entries = Object.entries(one).map(([name, content]) => [
      name,
      isRefusal && name === "error" ? rewordMessage(String(content), command) : reword(content),
    ]);
    return Object.fromEntries(entries);
  };
  return reword(value);
}

const hasErrors = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasErrors) : isObject(value) && (isError(value) || Object.values(value).some(hasErrors));

const isError = (value: object): boolean => "errorCode" in value && "error" in value && typeof value.error === "string";

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !(value instanceof Date);
