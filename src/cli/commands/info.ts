import type { ShareDescription } from "../../client/shares/describe-share.ts";
import { formatDollars } from "../../lib/text/format-dollars.ts";
import { formatSize } from "../../lib/text/format-size.ts";
import { CLAIM_TOKEN_OPTION, openShareClient, SHARE_ARGUMENT } from "../client/open-share-client.ts";
import { describeScan, describeState, formatDownloads, formatExpiry } from "../client/share-words.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { readToken } from "../options/token.ts";
import { CODE_OPTION, readCode } from "../options/unlock-code.ts";
import { alignColumns, formatFacts, formatTime } from "../terminal/text.ts";

export const info = defineCommand({
  details:
    "Everybody sees what the page of the share shows. Its owner, and anyone with its claim token, also sees its settings. Its owner also sees its last downloads. A link can be a private link.",
  args: { ID: SHARE_ARGUMENT },
  options: {
    code: CODE_OPTION,
    token: CLAIM_TOKEN_OPTION,
    ...CLIENT_OPTIONS,
  },
  settings: [],
  examples: ["filehost info 7kXq9Zab", "filehost info https://files.example.org/d/7kXq9Zab --code - --json"],
  async run({ args: { ID }, options, terminal }) {
    const client = await openShareClient({ command: "info", options, terminal }, [ID]);
    const { describeShare } = await import("../../client/shares/describe-share.ts");
    if (options.code === "-" && options.token === "-")
      throw new UsageError("Standard input has the code or the token, not both.", "filehost info --help");
    const [code, token] = [await readCode(terminal, options.code, client), await readToken(terminal, options.token)];
    const described = await describeShare(client, ID, { code, token });
    return { data: toData(described), text: formatDescription(described) };
  },
});

/** Returns the description for `--json`, with the same names and types in all its parts. */
function toData({ info, downloads, ...described }: ShareDescription): unknown {
  const known = info && {
    ...{ shortId: info.filecode, name: info.name, title: info.title, sizeBytes: Number(info.size), createdAt: toUploadTime(info) },
    ...{
      expiresAt: info.expiresAt,
      state: toState(info),
      downloads: Number(info.download),
      unlockRequired: info.unlockRequired,
      unlockKind: info.unlockKind,
    },
    ...{ paymentRequired: info.paymentRequired, priceCents: info.priceCents, scanStatus: info.scanStatus, uploading: info.uploading },
  };
  return { ...described, info: known, lastDownloads: downloads };
}

const toState = ({ isUsedUp, status_field }: NonNullable<ShareDescription["info"]>): string => (isUsedUp ? "used_up" : status_field);

/** Converts `2026-11-22 14:05:00`, which is in UTC, to an ISO time. */
const toUploadTime = ({ uploaded }: NonNullable<ShareDescription["info"]>): string => `${uploaded.replace(" ", "T")}Z`;

function formatDescription({ shortId, link, share, info, settings, downloads, sales, file }: ShareDescription): string {
  const title = settings?.title ?? share?.title;
  const message = settings?.message ?? share?.message;
  const state = { unlockRequired: share?.unlockRequired ?? info?.unlockRequired ?? false };
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ["name", share?.name ?? info?.name],
    ["link", link],
    ["share", shortId],
    ["file", file?.id ?? (share?.kind === "file" ? share.id : null)],
    ["title", title],
    ["message", message],
    ["size", formatSize(share?.size_bytes ?? Number(info?.size ?? 0))],
    ["type", share?.content_type],
    ["sha256", share?.sha256],
    [
      "state",
      describeState({
        ...share,
        ...state,
        ...file,
        state: share === null ? (info ? toState(info) : "gone") : "active",
        visibility: settings?.visibility,
      }),
    ],
    ["scan", share?.scanStatus === "clean" && !share.scanned ? "not scanned for malware" : null],
    ["uploaded", info === null ? null : formatTime(toUploadTime(info))],
    ["expires", share === null ? null : formatExpiry(share.expires_at)],
    ["latest expiry", settings === null ? null : formatTime(settings.latestExpiresAt)],
    ["downloads", info === null ? null : formatDownloads(Number(info.download), settings?.maxDownloads ?? null)],
    ["price", share?.priceCents == null ? null : formatDollars(share.priceCents)],
    ["sales", sales === null ? null : String(sales)],
    ["run", file?.runId],
    ["made from", file?.madeFrom.map(({ id, name }) => `${id} ${name}`).join(", ")],
    ["used in", file?.usedIn.map(({ id, name }) => `${id} ${name}`).join(", ")],
  ];
  const files = (share?.files ?? []).map((one) => [one.id, formatSize(one.size_bytes), describeScan(one), one.relativePath ?? one.name]);
  const events = (downloads ?? []).map(({ at, client, route, name }) => [formatTime(at), client ?? "-", route ?? "-", name]);
  return [
    formatFacts(facts),
    ...(share?.kind === "shipment" && share.files === null ? ["\nThe files are shown with the unlock code: --code -\n"] : []),
    ...(files.length === 0 ? [] : [`\nFiles\n${alignColumns(files, "  ")}`]),
    ...(events.length === 0 ? [] : [`\nLast downloads\n${alignColumns(events, "  ")}`]),
  ].join("");
}
