import { AppError } from "../errors.ts";
import { contract } from "../service/contract.ts";

/** Commands that do the same as a request that a message of the API names. */
const COMMANDS: Readonly<Record<string, string>> = {
  "GET /admin/settings": "filehost settings list",
  "POST /connect": "filehost sell setup",
  "GET /keys": "the page Settings, Keys",
};

/** Options whose names differ from the fields that they send. */
const OPTIONS: readonly (readonly [fields: RegExp, option: string])[] = [
  [/^(ttl|expiresAt|retention)$/, "expires"],
  [/^(shareShortId|shareToken|openShare)$/, "into"],
  [/^requestToken$/, "request"],
  [/^folderId$/, "folder"],
  [/^(unlockCode|handoffToken)$/, "code"],
  [/^purchaseToken$/, "purchase"],
  [/^(deletionToken|claimToken)$/, "token"],
  [/^replacesUploadId$/, "no-resume"],
  [/^priceCents$/, "price"],
];

/** The fields of all requests. Other words in messages are names, for example of files. */
const FIELDS: ReadonlySet<string> = new Set([
  ...Object.values(contract).flatMap(({ input }) => Object.keys(input.shape)),
  ...["jobSecret", "fileIds", "uploadUrl", "deletionToken", "nextCursor"],
]);

/** A command by the names of its options, whose values are not read. */
interface Named {
  readonly options?: object | undefined;
}

/** Rewrites a message of an operation in the words of a command: options in place of fields, and commands in place of requests and headers. */
export function rewordMessage(message: string, command: Named): string {
  const sentences = message
    .replace("Send the upload's `deletionToken` as `token`.", "Pass it with --token TOKEN.")
    .replace(
      /\bSend (?:one|it|the key)?\s*as `Authorization: Bearer <\w+>`[^.]*\./g,
      "Sign in with filehost login, or pass --key-file PATH.",
    )
    .split(/(?<=[.!?])\s+(?=[A-Z`])/);
  const said = sentences
    .flatMap((sentence) => toCommands(sentence) ?? [])
    .map((sentence) => withoutOtherFields(toOptions(sentence, command).replaceAll("`", "")))
    .filter((sentence) => sentence !== "")
    .join(" ");
  return said === "" ? "The server did not accept the request of this client. Use the client of the server's version." : said;
}

/** Replaces requests with commands; undefined for a sentence about a request that no command sends. */
function toCommands(sentence: string): string | undefined {
  const request = /`?\b(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}-]*)`?/;
  const [found, method, path] = request.exec(sentence) ?? [];
  if (found === undefined) return /\b(Authorization|Bearer|header|PUT the)\b/.test(sentence) ? undefined : sentence;
  const command = COMMANDS[`${method} ${path}`];
  return command === undefined ? undefined : sentence.replace(found, command);
}

function toOptions(sentence: string, command: Named): string {
  const toOption = (name: string): string | undefined => {
    const renamed = OPTIONS.find(([fields]) => fields.test(name))?.[1];
    return [toDashes(name), renamed].find((option) => option !== undefined && Object.hasOwn(command.options ?? {}, option));
  };
  return (
    sentence
      // A field of one word looks like any other word, unless the message says to send or omit it.
      .replace(/\b(omit|send)( either)? `?([a-z]+)`?(?=[., ])/gi, (text, verb: string, either: string | undefined, name: string) => {
        const option = toOption(name);
        return option === undefined ? text : `${verb}${either ?? ""} --${option}`;
      })
      .replace(/`?\b([a-z]+(?:[A-Z][a-z0-9]*)+)\b`?/g, (text, name: string) => {
        if (!FIELDS.has(name)) return text;
        const option = toOption(name);
        return option === undefined ? toPlainWords(name) : `--${option}`;
      })
      .replace(/\b([Ss])end (--[\w-]+)/g, (_text, s: string, option: string) => `${s === "S" ? "Pass" : "pass"} ${option}`)
  );
}

/** Removes the advice to omit a field that no option of the command sends. */
const withoutOtherFields = (sentence: string): string =>
  sentence
    .replace(/,? or omit (?!--|it\b)[^,.]+(?=[,.])/, "")
    .replace(/^Omit (?!--|it\b)[^,.]+, or (\w)/, (_text, first: string) => first.toUpperCase())
    .replace(/^Omit (?!--|it\b)[^.]+\.$/, "");

const toDashes = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Converts `folderIds` to `folder IDs`. */
const toPlainWords = (field: string): string =>
  toDashes(field)
    .replaceAll("-", " ")
    .replace(/\bid(s?)\b/g, "ID$1")
    .replace(/\burl\b/g, "URL");

/** Rewrites the error of an operation in the words of the command that called it. Other errors are unchanged. */
export function rewordError<Thrown>(command: Named, error: Thrown): Thrown | AppError {
  if (!(error instanceof AppError) || Object.getPrototypeOf(error) !== AppError.prototype) return error;
  const message = rewordMessage(error.message, command);
  const { code, fields, retryAfterSeconds, cause } = error;
  const issues = fields.issues?.map(({ path, message }) => ({ path, message: rewordMessage(message, command) }));
  return new AppError(code, message, {
    fields: { ...fields, ...(issues && { issues }) },
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
