import type { SettingsChange, ShareSettings } from "../../client/shares/named-share.ts";
import { formatDollars } from "../../lib/text/format-dollars.ts";
import { contract } from "../../service/contract.ts";
import { CLAIM_TOKEN_OPTION, openShareClient, SHARE_ARGUMENT } from "../client/open-share-client.ts";
import { describeState, formatDownloads, formatExpiry } from "../client/share-words.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { fromContract } from "../options/from-contract.ts";
import { readToken } from "../options/token.ts";
import { formatFacts, formatTime } from "../terminal/text.ts";

const settings = fromContract(
  contract.updateShareSettings.input.shape,
  [
    "extendTtl",
    "expiresAt",
    "maxDownloads",
    "once",
    "title",
    "message",
    "handoffMessage",
    "visibility",
    "direct",
    "retention",
    "notify",
    "priceThumbnails",
    "immutable",
    "upstreamFileIds",
  ],
  { negatable: true, removable: ["maxDownloads", "title", "message", "handoffMessage"] },
);

export const share = defineCommand({
  details:
    "Without an option that changes something, shows the settings. Works with the key of the owner and, for an anonymous share, with its claim token, which this device remembers. An empty text removes a title, a message or a limit. For an unlock code: filehost protect.",
  args: { ID: SHARE_ARGUMENT },
  options: {
    ...settings.options,
    price: { kind: "text", value: "DOLLARS", help: "One-time price in US dollars, such as 4.99; 0 removes it" },
    force: { kind: "flag", help: "Make the change even if buyers lose what they paid for" },
    link: { kind: "flag", help: "Print the link of the share only" },
    token: CLAIM_TOKEN_OPTION,
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: [
    "filehost share 7kXq9Zab",
    "filehost share 7kXq9Zab --extend-ttl 7d --max-downloads 10",
    "filehost share 7kXq9Zab --title 'Slides for Monday' --no-once",
    "filehost share 7kXq9Zab --price 4.99",
    "filehost share 7kXq9Zab --link",
  ],
  async run({ args: { ID }, options, terminal }) {
    const change: SettingsChange = {
      ...settings.read("share", options),
      ...(options.price !== undefined && { priceCents: toCents(options.price) }),
      ...(options.force && { force: true }),
    };
    const client = await openShareClient({ command: "share", options, terminal }, [ID]);
    const [{ changeShareSettings, findNamedShare, withFragment }, { shareLinkOf }] = await Promise.all([
      import("../../client/shares/named-share.ts"),
      import("../../client/shares/subject.ts"),
    ]);
    const named = await findNamedShare(client, ID);
    const changed = await changeShareSettings(client, named, change, await readToken(terminal, options.token));
    const link = withFragment(await shareLinkOf(client.api, changed.shortId), named.remembered);
    const text = options.link ? `${link}\n` : formatSettings(link, changed);
    return { data: { ...changed, link }, text };
  },
});

/** Converts `4.99` to 499. Throws UsageError. */
function toCents(text: string): number {
  const [, dollars, cents = ""] = /^\$?(\d{1,7})(?:\.(\d\d?))?$/.exec(text.trim()) ?? [];
  if (dollars === undefined) throw new UsageError("--price: give US dollars, such as 5 or 4.99.", "filehost share --help");
  return Number(dollars) * 100 + Number(cents.padEnd(2, "0"));
}

function formatSettings(link: string, settings: ShareSettings): string {
  return formatFacts([
    ["link", link],
    ["title", settings.title],
    ["message", settings.message],
    ["state", describeState({ ...settings, state: "active" })],
    ["expires", formatExpiry(settings.expiresAt)],
    ["latest expiry", formatTime(settings.latestExpiresAt)],
    ["downloads", formatDownloads(settings.downloads, settings.maxDownloads)],
    ["price", settings.priceCents === null ? null : formatDollars(settings.priceCents)],
    ["thumbnails", settings.priceCents === null ? null : settings.priceThumbnails ? "shown before the payment" : "after the payment"],
    ["notices", settings.notify === null ? null : settings.notify ? "on" : "off"],
  ]);
}
