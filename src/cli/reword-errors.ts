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
  [/^retention$/, "expires-at"],
  [/^(shareShortId|shareToken|openShare)$/, "into"],
  [/^requestToken$/, "request"],
  [/^folderId$/, "folder"],
  [/^(unlockCode|handoffToken)$/, "code"],
  [/^purchaseToken$/, "purchase"],
  [/^(deletionToken|claimToken)$/, "token"],
  [/^replacesUploadId$/, "no-resume"],
  [/^priceCents$/, "price"],
];

/** Commands that have a flag which others lack. */
const ELSEWHERE: Readonly<Record<string, string>> = { "no-immutable": "filehost share ID --no-immutable" };

/** Advice whose words are those of the API, by its first words. The first advice that names options of the command is used. */
const ADVICE: readonly (readonly [advice: RegExp, words: readonly string[]])[] = [
  [/^Send (?:a ttl|expiresAt or extendTtl) instead\.$/, ["Choose a time with --expires.", "Choose a time with --expires-at."]],
  [/^Set visibility to public, or send a ttl\.$/, ["Add --public, or choose a time with --expires."]],
  [/^Set visibility to public as well\.$/, ["Add --visibility public."]],
  [
    /^Omit (?:ttl and expiresAt|expiresAt and extendTtl)\.$/,
    ["Leave out --expires.", "Leave out --extend-ttl, and --expires-at except for never."],
  ],
  [
    /^Open one with openShare, /,
    ["Name one of your open shares with --into, by its short ID or link.", "Name one of your open shares by its short ID or link."],
  ],
  [/^Set visibility to (?:public|unlisted)/, ["Use --visibility."]],
  [/^Send `?url`?, .*$/, ["Name the public http or https URL of a file."]],
  [
    /^Send one of them\.$/,
    ["Sign in with filehost login, or pass --token TOKEN.", "Sign in with filehost login, or pass --key-file PATH."],
  ],
];

let knownFields: ReadonlySet<string> | undefined;

/** Whether a request has a field of this name. Other words in messages are names, for example of files. */
function isField(name: string): boolean {
  knownFields ??= new Set([
    ...Object.values(contract).flatMap(({ input }) => Object.keys(input.shape)),
    ...["jobSecret", "fileIds", "uploadUrl", "deletionToken", "nextCursor"],
  ]);
  return knownFields.has(name);
}

/** Options of the connection. No field of a request is one of them, though some have their names. */
const CONNECTION_OPTIONS: ReadonlySet<string> = new Set(["url", "profile", "key-file", "quiet"]);

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
    .map((sentence) => toAdvice(sentence, command) ?? withoutOtherFields(toOptions(sentence, command).replaceAll("`", "")))
    .map(toVerbs)
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

/** Finds the command's own words for an advice; undefined if there are none. */
function toAdvice(sentence: string, { options = {} }: Named): string | undefined {
  const words = ADVICE.find(([advice]) => advice.test(sentence))?.[1];
  return words?.find((text) => [...text.matchAll(/--([\w-]+)/g)].every(([, option = ""]) => Object.hasOwn(options, option)));
}

/** Replaces the verbs with which the API names fields. Files are sent by commands too. */
const toVerbs = (sentence: string): string =>
  sentence
    .replace(/\b([Ss])end (?=(?:either )?--)/g, (_text, s: string) => (s === "S" ? "Pass " : "pass "))
    .replace(
      /\b([Ss])end (?=(?:an?|one|\d+|true|either|exactly|the (?:final|one|URL|IDs?|address|owner's|file's final))\b)/g,
      (_text, s: string) => (s === "S" ? "Give " : "give "),
    )
    .replace(/\bsend force: true \(--force\)/, "pass --force")
    .replace(/\b([Oo])mit it\b/g, (_text, o: string) => (o === "O" ? "Leave it out" : "leave it out"))
    .replace(/\b([Oo])mit (?=--)/g, (_text, o: string) => (o === "O" ? "Leave out " : "leave out "));

function toOptions(sentence: string, command: Named): string {
  const toOption = (name: string): string | undefined => {
    const renamed = OPTIONS.filter(([fields]) => fields.test(name)).map(([, option]) => option);
    return [toDashes(name), ...renamed].find((option) => !CONNECTION_OPTIONS.has(option) && Object.hasOwn(command.options ?? {}, option));
  };
  const toFlag = (option: string): string =>
    Object.hasOwn(command.options ?? {}, option) ? `--${option}` : (ELSEWHERE[option] ?? `--${option}`);
  return (
    sentence
      // A field of one word looks like any other word, unless the message says to send or omit it.
      .replace(/\b(omit|send)( either)? `?([a-z]+)`?(?=[., ])/gi, (text, verb: string, either: string | undefined, name: string) => {
        const option = toOption(name);
        return option === undefined ? text : `${verb}${either ?? ""} --${option}`;
      })
      .replace(/`?\b([a-z]+(?:[A-Z][a-z0-9]*)+)\b`?/g, (text, name: string) => {
        if (!isField(name)) return text;
        const option = toOption(name);
        return option === undefined ? toPlainWords(name) : `--${option}`;
      })
      // A value of a flag that the message says to set.
      .replace(/\bwith ([a-z]+)=true\b/gi, (_text, name: string) => `with ${toFlag(name)}`)
      .replace(/\b([Ss])et ([a-z]+) to (true|false)\b/gi, (_text, s: string, name: string, value: string) => {
        const flag = value === "true" ? toFlag(name) : toFlag(`no-${name}`);
        return `${s === "S" ? "Use" : "use"} ${flag}`;
      })
      .replace(/`([a-z]+)`/g, (_text, name: string) => {
        const option = toOption(name);
        return option === undefined ? name : `--${option}`;
      })
      // An expiry is a time, which no other word of messages means.
      .replace(/(?<![\w-])(?:a )?ttl\b/g, () => (Object.hasOwn(command.options ?? {}, "expires") ? "--expires" : "a time"))
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
