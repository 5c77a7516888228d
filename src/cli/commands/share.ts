import type { NamedShare, SettingsChange, ShareSettings } from "../../client/shares/named-share.ts";
import { AppError } from "../../errors.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { parseTtl } from "../../lib/text/duration.ts";
import { formatDollars } from "../../lib/text/format-dollars.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { contract, type Output } from "../../service/contract.ts";
import { CLAIM_TOKEN_OPTION, openShareClient, SHARE_ARGUMENT } from "../client/open-share-client.ts";
import { describeState, formatDownloads, formatExpiry } from "../client/share-words.ts";
import { defineCommand, type Result, type Terminal } from "../command.ts";
import { describeFailure, UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { fromContract } from "../options/from-contract.ts";
import { type Expiry, readExpiry } from "../options/publish-options.ts";
import { readTimeOption, TIME_SYNTAX } from "../options/times.ts";
import { readToken } from "../options/token.ts";
import { formatFacts, formatTime } from "../terminal/text.ts";

const settings = fromContract(
  contract.updateShareSettings.input.shape,
  [
    "maxDownloads",
    "once",
    "title",
    "message",
    "handoffMessage",
    "visibility",
    "direct",
    "notify",
    "alias",
    "priceThumbnails",
    "immutable",
    "upstreamFileIds",
  ],
  { negatable: true, removable: ["maxDownloads", "title", "message", "handoffMessage", "alias"] },
);

export const share = defineCommand({
  details:
    "Without an option that changes something, shows the settings. Works with the key of the owner and, for an anonymous share, with its claim token, which this device remembers. An empty text removes a title, a message, a limit or an alias. For an unlock code: filehost protect.",
  args: { ID: SHARE_ARGUMENT },
  options: {
    "extend-ttl": { kind: "text", value: "TIME", help: `Extend the expiry to this time, never shorten it: ${TIME_SYNTAX}` },
    "expires-at": { kind: "text", value: "TIME", help: `When the share expires: ${TIME_SYNTAX}, or never` },
    ...settings.options,
    price: { kind: "text", value: "DOLLARS", help: "One-time price in US dollars, such as 4.99; 0 removes it" },
    again: { kind: "flag", help: "Give the files of an ended share that you still have a new link, and show the settings of that" },
    force: { kind: "flag", help: "Make the change even if buyers lose what they paid for" },
    link: { kind: "flag", help: "Print the link of the share only" },
    yes: { kind: "flag", help: "Do not ask before a download limit that ends files" },
    token: CLAIM_TOKEN_OPTION,
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: [
    "filehost share 7kXq9Zab",
    "filehost share 7kXq9Zab --extend-ttl 7d --max-downloads 10",
    "filehost share 7kXq9Zab --title 'Slides for Monday' --no-once",
    "filehost share 7kXq9Zab --price 4.99",
    "filehost share 7kXq9Zab --alias trip-to-rome",
    "filehost share 7kXq9Zab --link",
    "filehost share 7kXq9Zab --again",
  ],
  async run({ args: { ID }, options, terminal }) {
    const chosen: SettingsChange = {
      ...settings.read("share", options),
      ...(options.price !== undefined && { priceCents: toCents(options.price) }),
      ...(options.force && { force: true }),
    };
    const times = readTimes(options);
    if (options.again && options.token !== undefined)
      throw new UsageError("--again needs the key of the share's owner. Leave out --token.", HELP);
    const client = await openShareClient({ command: "share", options, terminal }, [ID]);
    const [{ changeShareSettings, findNamedShare, withFragment }, { shareLinkOf }] = await Promise.all([
      import("../../client/shares/named-share.ts"),
      import("../../client/shares/subject.ts"),
    ]);
    const token = await readToken(terminal, options.token);
    const found = await findNamedShare(client, ID);
    const made = options.again ? await client.api.call("shareAgain", { shortId: toEndedId(found) }) : undefined;
    const named = made === undefined ? found : { name: { shortId: made.shortId }, remembered: undefined };
    const opener = made === undefined ? {} : toOpener(made, (link) => withFragment(link, found.remembered));
    const read = (): Promise<ShareSettings> => changeShareSettings(client, named, {}, token);
    const change = async (): Promise<Result> => {
      const { expiry, notes } = await resolveTimes(times, chosen.visibility ?? undefined, read);
      if (!options.yes && terminal.canAsk) await askToEnd(chosen, read, terminal);
      const changed = await changeShareSettings(client, named, { ...chosen, ...expiry }, token);
      const link = withFragment(await shareLinkOf(client.api, changed.alias ?? changed.shortId), found.remembered);
      return {
        data: { ...changed, ...opener, link },
        text: options.link ? `${link}\n` : formatSettings(link, { ...changed, ...opener }),
        important: options.link ? describeOpener(opener) : [],
        notes: [...notes, ...(changed.state === "active" ? [] : [ENDED])],
      };
    };
    return await change().catch((error: unknown) => {
      if (made === undefined) throw client.hasKey ? withEndedAdvice(error) : error;
      const link = withFragment(made.shareUrl, found.remembered);
      return describeUnchanged(error, { shortId: made.shortId, link, opener, printsLink: options.link, env: terminal.env });
    });
  },
});

const HELP = "filehost share --help";

interface ChosenTimes {
  readonly expiry: Expiry | undefined;
  /** The time to which the expiry is extended: a duration for the server, or an ISO time. */
  readonly extended: { readonly extendTtl: string } | { readonly until: string } | undefined;
}

/** Reads the options of the expiry. Throws UsageError. */
function readTimes(options: { readonly "extend-ttl": string | undefined; readonly "expires-at": string | undefined }): ChosenTimes {
  const { "extend-ttl": extend, "expires-at": expires } = options;
  if (extend !== undefined && expires !== undefined) throw new UsageError("Choose one of --extend-ttl and --expires-at.", HELP);
  const given = { command: "share", option: "extend-ttl", text: extend ?? "" };
  return {
    expiry: expires === undefined ? undefined : readExpiry({ command: "share", option: "expires-at", text: expires }),
    extended:
      extend === undefined
        ? undefined
        : parseTtl(extend) === undefined
          ? { until: readTimeOption(given, { nowMs: Date.now() }) }
          : { extendTtl: extend },
  };
}

/** Chooses the fields that set the expiry, and the notes if it stays as it is. `visibility` is the chosen one. */
async function resolveTimes(
  { expiry, extended }: ChosenTimes,
  visibility: SettingsChange["visibility"],
  read: () => Promise<ShareSettings>,
): Promise<{ readonly expiry: SettingsChange; readonly notes: readonly string[] }> {
  if (expiry === undefined && extended === undefined) return { expiry: {}, notes: [] };
  if (expiry !== undefined && "ttl" in expiry) return { expiry: { expiresAt: toIso(Date.now() + (parseTtl(expiry.ttl) ?? 0)) }, notes: [] };
  if (expiry !== undefined && "expiresAt" in expiry) return { expiry, notes: [] };
  const current = await read();
  const never = current.expiresAt === null;
  if (extended === undefined) {
    const isPublic = (visibility ?? current.visibility) === "public";
    return never && !isPublic
      ? { expiry: {}, notes: ["The share never expires already."] }
      : { expiry: { retention: "forever" }, notes: [] };
  }
  if (never) return { expiry: {}, notes: ["The share never expires, so there is nothing to extend."] };
  if ("extendTtl" in extended) return { expiry: extended, notes: [] };
  if (current.expiresAt !== null && Date.parse(extended.until) <= Date.parse(current.expiresAt))
    return { expiry: {}, notes: ["The share expires later already, and keeps its expiry. To shorten it, use --expires-at."] };
  return { expiry: { expiresAt: extended.until }, notes: [] };
}

const ENDED =
  "Nobody can download it any more. A share that has ended cannot be opened again: send the files again, or share those that you still have with --again.";

/** Returns the short ID of the share that is shared again. Throws UsageError for the ID of a file, which could be in several shares. */
function toEndedId({ name, remembered }: NamedShare): string {
  if (remembered) return remembered.shortId;
  if ("shortId" in name) return name.shortId;
  throw new UsageError("--again takes a share's short ID or link, not the ID of a file. Find it: filehost ls --shares --state ended", HELP);
}

/** The code and the private link of a new share, which are shown only once. */
interface Opener {
  readonly unlockCode?: string | undefined;
  readonly handoffUrl?: string | undefined;
}

const toOpener = ({ unlockCode, handoffUrl }: Output<"shareAgain">, withKey: (link: string) => string): Opener =>
  handoffUrl === undefined ? {} : { unlockCode, handoffUrl: withKey(handoffUrl) };

const describeOpener = ({ unlockCode, handoffUrl }: Opener): readonly string[] => [
  ...(unlockCode === undefined ? [] : [`Unlock code: ${unlockCode}`]),
  ...(handoffUrl === undefined ? [] : [`Private link, which needs no code: ${handoffUrl}`]),
];

interface UnchangedShare {
  readonly shortId: string;
  readonly link: string;
  readonly opener: Opener;
  readonly printsLink: boolean;
  readonly env: Terminal["env"];
}

/** Describes a new share whose settings could not be changed or read, with what is shown only once. */
function describeUnchanged(error: unknown, { shortId, link, opener, printsLink, env }: UnchangedShare): Result {
  const { text, body, exitCode } = describeFailure(error, env);
  const facts = formatFacts([["link", link], ...openerFacts(opener)]);
  return {
    data: { shortId, link, ...opener, error: body.error, errorCode: body.errorCode },
    text: printsLink ? `${link}\n` : facts,
    important: [...(printsLink ? describeOpener(opener) : []), `The new share has this link, but not the settings that you chose. ${text}`],
    exitCode,
  };
}

/** Adds to NOT_FOUND what can be done if the share has ended. */
function withEndedAdvice(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== "NOT_FOUND") return error;
  return new AppError(error.code, `${error.message} If it has ended, share its files again: --again`, { cause: error });
}

/** Asks before a limit ends files that have as many downloads already. Throws CONFLICT if the answer is no. */
async function askToEnd(
  { maxDownloads, once }: SettingsChange,
  read: () => Promise<ShareSettings>,
  { confirm }: Pick<Terminal, "confirm">,
): Promise<void> {
  if (!once && maxDownloads == null) return;
  const limit = once ? 1 : Number(maxDownloads);
  const { downloads, maxDownloads: current, state } = await read();
  if (state !== "active" || downloads < limit || limit === current) return;
  const question = `${countOf(downloads, "download")} already: a file that has reached this limit ends, and cannot be opened again. Set it?`;
  if (!(await confirm(question))) throw new AppError("CONFLICT", "Nothing was changed.");
}

/** Converts `4.99` to 499. Throws UsageError. */
function toCents(text: string): number {
  const [, dollars, cents = ""] = /^\$?(\d{1,7})(?:\.(\d\d?))?$/.exec(text.trim()) ?? [];
  if (dollars === undefined) throw new UsageError("--price: give US dollars, such as 5 or 4.99.", HELP);
  return Number(dollars) * 100 + Number(cents.padEnd(2, "0"));
}

const openerFacts = ({ unlockCode, handoffUrl }: Opener): [string, string | null][] => [
  ["code", unlockCode ?? null],
  ["private link", handoffUrl ?? null],
];

function formatSettings(link: string, settings: ShareSettings): string {
  return formatFacts([
    ["link", link],
    ...openerFacts(settings),
    ["title", settings.title],
    ["message", settings.message],
    ["state", describeState(settings)],
    ["expires", formatExpiry(settings.expiresAt)],
    ["latest expiry", formatTime(settings.latestExpiresAt)],
    ["downloads", formatDownloads(settings.downloads, settings.maxDownloads)],
    ["price", settings.priceCents === null ? null : formatDollars(settings.priceCents)],
    ["thumbnails", settings.priceCents === null ? null : settings.priceThumbnails ? "shown before the payment" : "after the payment"],
    ["notices", settings.notify === null ? null : settings.notify ? "on" : "off"],
  ]);
}
