import { z } from "zod";
import { isDollars } from "../../contract/consequential-fields.ts";
import { defineOperation } from "../../contract/operation.ts";
import {
  count,
  dateTime,
  dateTimeInput,
  described,
  EXAMPLE_SHA256,
  encrypted,
  failureReason,
  fileId,
  flag,
  messageText,
  protectionCredentials,
  readingToken,
  scanStatus,
  shareAlias,
  sharePassword,
  shortId,
  storedText,
  text,
  unlockKind,
} from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { webUrl } from "../../contract/web-url.ts";

/** The state of a share for its owner (listing, "Shares"). */
export const shareState = described(
  z.enum(["active", "expired", "used_up", "taken_down"]),
  "expired: its time has passed or its owner closed it; used_up: its last download was counted",
  "active",
);

/** The alias of a share for its owner. */
export const aliasOutput = described(z.string().nullable(), "Name of the share in its link; null: the short ID", "trip-to-rome");

/** Share metadata (model, "Share metadata"). */
export const shareMetadata = z
  .object({
    id: described(z.string(), "The file's ID; for a shipment, its own ID", "5hQ2vR8kLm3xTz0B"),
    short_id: shortId,
    kind: described(z.enum(["file", "shipment"]), "One file, or a shipment of several files", "file"),
    name: described(z.string(), "Name of the file or shipment", "report.pdf"),
    title: described(z.string().nullable(), "Title from the sender; null if none, or until the share is unlocked", "Slides for Monday"),
    message: described(z.string().nullable(), "Message from the sender; null if none, or until the share is unlocked", "Room 12 at nine."),
    size_bytes: described(z.int(), "Size in bytes; for a shipment, the sum", 48_213),
    content_type: described(z.string().nullable(), "Media type; null for a shipment", "application/pdf"),
    sha256: described(
      z.string().nullable(),
      "SHA-256, hexadecimal; null until it is known, or until a priced share is bought",
      EXAMPLE_SHA256,
    ),
    expires_at: described(dateTime.nullable(), "When the share expires; null: never", "2030-01-31T12:00:00Z"),
    scanStatus,
    failureReason,
    modifiedAt: described(
      dateTime.nullable(),
      "When the sender's file was changed, if that was sent; null of a shipment, and until the share is unlocked",
      "2026-07-01T02:03:05.678Z",
    ),
    executable: described(z.boolean(), "Whether the sender's file can be executed, if that was sent; false of a shipment", false),
    encrypted: described(
      z.boolean(),
      "Whether the sender encrypted the file, so that the server could not check it; a shipment: any file",
      false,
    ),
    scanned: described(z.boolean(), "false if the file was not scanned", true),
    scanCoverage: z.enum(["whole", "windowed", "none"]).nullable().meta({
      description:
        "windowed: scanned in overlapping pieces, so malware that only shows in the whole file is not found; null until the scan has finished",
    }),
    uploading: described(z.boolean(), "Whether it, or a file of the shipment, is still being uploaded", false),
    receivedBytes: described(z.int().nullable(), "While it is uploading: bytes that have arrived, as far as known; null otherwise"),
    unlockRequired: described(z.boolean(), "Whether a download requires an unlock code or a handoff link", false),
    unlockKind,
    downloadsLimited: described(z.boolean(), "Whether each file can be downloaded a limited number of times", false),
    directEffective: described(z.boolean(), "Whether opening the share link starts the download", false),
    sponsoredDelivery: z.boolean().meta({
      examples: [false],
      description: "Whether its pages show the server's sponsor or make recipients wait; false if the owner has Pro",
    }),
    paymentRequired: described(z.boolean(), "Whether a download requires a payment", false),
    priceCents: described(z.int().nullable(), "Price in US cents; null: none"),
    files: z
      .array(
        z.object({
          id: fileId,
          name: described(z.string(), "Name of the file", "report.pdf"),
          size_bytes: described(z.int(), "Bytes", 48_213),
          content_type: described(z.string().nullable(), "Type of the file", "application/pdf"),
          encrypted,
          sha256: described(
            z.string().nullable(),
            "SHA-256, hexadecimal; null until it is known, or until a priced share is bought",
            EXAMPLE_SHA256,
          ),
          scanStatus,
          failureReason,
          relativePath: described(z.string().nullable(), "Path in the shipment, if one was sent", "docs/report.pdf"),
          modifiedAt: described(dateTime.nullable(), "When the sender's file was changed, if that was sent", "2026-07-01T02:03:05.678Z"),
          executable: described(z.boolean(), "Whether the sender's file can be executed, if that was sent", false),
          uploading: described(z.boolean(), "Whether it is still being uploaded", false),
          receivedBytes: described(z.int().nullable(), "While it is uploading in parts: bytes that have arrived; null otherwise"),
        }),
      )
      .nullable()
      .optional()
      .meta({ description: "The files of a shipment; null until the shipment is unlocked" }),
  })
  .meta({ id: "Share", description: "A share as everyone sees it" });
export type ShareMetadata = z.infer<typeof shareMetadata>;

export const sharesContract = {
  getShare: defineOperation({
    summary: "Get a share",
    description:
      "Before a download, poll `scanStatus` until it is `clean`. While `unlockRequired` is true, `title`, `message`, `sha256` and `files` are " +
      "null without a valid `unlockToken`, the `purchaseToken` of who bought it, or the owner's key. With a price, `sha256` is null without the last two.",
    tag: "Shares",
    method: "GET",
    isCompressed: true,
    path: "/files/share/{shortId}",
    access: "public",
    input: () =>
      z.object({
        shortId,
        unlockToken: readingToken,
        purchaseToken: described(text(200).optional(), "Proof of payment for a priced share; ignored if it is not valid", "pu_3xK9"),
      }),
    envelope: "merged",
    output: () => shareMetadata,
    errors: { 404: "Unknown or expired" },
  }),
} as const;

/** An ID on the routes that prove ownership, with the minimum length of these routes (limits, "Fields"). */
const longId = described(text(200).min(8), "The ID of a file of the share, or the short ID of a shipment", "5hQ2vR8kLm3xTz0B");
const claimToken = described(text(200).min(8), "The `claimToken` of the anonymous upload or shipment", "claim_8sY2kQ");
const handoffMessage = described(messageText(480).nullish(), "Note shown on the page of the handoff link", "The slides for Monday.");

const password = described(
  sharePassword.nullish(),
  "Protects the share with this password, of 8 to 128 characters, in place of an unlock code; the server cannot show it again",
  "correct horse battery",
);

const protection = {
  unlockRequired: described(z.boolean(), "Whether a download requires an unlock code or a handoff link", true),
  unlockKind,
  ...protectionCredentials,
};

/** The settings of shares and uploads that a claim token does not change (sharing, "Changing a share"). */
const NOT_BY_CLAIM_TOKEN = [
  "visibility",
  "direct",
  "retention",
  "ttl",
  "runId",
  "openShare",
  "shareShortId",
  "shareToken",
  "folderId",
  "relativePath",
  "modifiedAt",
  "executable",
  "immutable",
  "upstreamFileIds",
  "priceCents",
  "priceThumbnails",
  "notify",
  "alias",
  "requestToken",
  "senderName",
  "senderNote",
] as const;

export const ownershipContract = {
  claimFile: defineOperation({
    summary: "Claim an anonymous upload or shipment for the key's account",
    tag: "Ownership",
    method: "POST",
    path: "/files/claim",
    access: "files_write",
    input: () => z.object({ fileId: longId, claimToken }),
    envelope: "data",
    output: () =>
      z.object({
        id: described(z.string(), "The ID that was sent", "5hQ2vR8kLm3xTz0B"),
        shortCode: described(z.string(), "The share's short ID", "7kXq9Zab"),
      }),
    errors: { 403: "Wrong token", 404: "Unknown file", 409: "Already claimed by another account", 413: "The account's quota is exceeded" },
  }),
  setLinkProtection: defineOperation({
    summary: "Protect an anonymous upload or shipment, or remove its protection",
    description: "Requires the claim token. New credentials replace the old ones immediately.",
    tag: "Ownership",
    method: "PATCH",
    path: "/files/link-protection",
    access: "public",
    input: () =>
      z.object({
        fileId: longId,
        claimToken,
        protect: described(flag, "true: creates new credentials; false removes them", true),
        password,
        handoffMessage,
      }),
    envelope: "data",
    output: () => z.object({ fileId, shortId, ...protection }),
    errors: { 403: "Wrong token", 404: "Unknown file", 409: "The file belongs to an account" },
  }),
  updateShareSettings: defineOperation({
    summary: "Change the settings of a share",
    description:
      "Identify the share by the `fileId` of a file, or by its own `shortId`. Send the key of its owner or, for an unclaimed share, its " +
      "`claimToken`, which allows title, message, expiresAt, extendTtl, protect, password, handoffMessage, maxDownloads and once.",
    tag: "Ownership",
    method: "PATCH",
    path: "/files/share-settings",
    access: "optional",
    namedBy: ["fileId", "shortId"],
    input: () =>
      z.object({
        fileId: described(text(64).nullish(), "A file of the share", "5hQ2vR8kLm3xTz0B"),
        shortId: described(text(16).min(4).nullish(), "The share", "7kXq9Zab"),
        claimToken: described(
          text(200).min(8).nullish(),
          "In place of a key: the `claimToken` of the anonymous upload or shipment",
          "claim_8sY2kQ",
        ),
        visibility: described(z.enum(["unlisted", "public"]).nullish(), "public requires a username", "unlisted"),
        direct: described(flag.nullish(), "Pro only: opening the share link starts the download", true),
        retention: described(z.enum(["ttl", "forever"]).nullish(), "forever requires Pro and a public share", "ttl"),
        expiresAt: described(dateTimeInput.nullish(), "When the share expires, at most 90 days from now", "2030-01-31T12:00:00Z"),
        extendTtl: described(
          z
            .string()
            .regex(/^\d{1,4}(m|h|d|w)$/, "give a time such as 30m, 24h, 7d or 2w")
            .nullish(),
          "Extends the expiry to this time from now, never shortens it: a number and m, h, d or w",
          "7d",
        ),
        protect: described(flag.nullish(), "true: creates new credentials; false removes them", true),
        password,
        handoffMessage,
        title: described(storedText(120).nullish(), "Title of the share, shown to recipients; null removes it", "Slides for Monday"),
        message: described(messageText(480).nullish(), "Message shown to recipients; null removes it", "Room 12 at nine."),
        maxDownloads: described(
          count.nullish(),
          "Largest number of downloads of each file, counted from its upload; null: no limit; ignored if once is true. A change ends signed URLs",
          3,
        ),
        once: described(flag.nullish(), "true: one download, as maxDownloads 1; false removes a limit that once set", true),
        immutable: described(flag.nullish(), "Whether changes and deletion are blocked until this is unset or forced", true),
        upstreamFileIds: described(z.array(text(64).min(1)).max(100).nullish(), "IDs of the files that this file was made from", [
          "5hQ2vR8kLm3xTz0B",
        ]),
        notify: described(flag.nullish(), "Whether you get notices of its downloads and its end; null: as your settings say", true),
        alias: described(
          shareAlias.nullish(),
          "Name of the share in its link, which anyone can guess; the short ID and earlier aliases still lead to it, until the alias is removed; null removes it",
          "trip-to-rome",
        ),
        force: flag.optional().meta({ description: "Make the change even if buyers lose what they paid for" }),
        priceCents: z
          .union(
            [z.literal(0), z.int().min(100).max(99_999_999)],
            "give 0 for none, or a whole number of at least 100 and less than 100,000,000",
          )
          .nullish()
          .meta({ description: "One-time price in US cents; 0 or null removes it", examples: [500] }),
        currency: described(
          z
            .string()
            .refine(isDollars, "prices are in US dollars: give usd, or leave it out")
            .meta({ pattern: "^\\s*[uU][sS][dD]\\s*$" })
            .nullish(),
          "The currency of priceCents: usd, in any case",
          "usd",
        ),
        priceThumbnails: described(
          flag.optional(),
          "Whether a share with a price shows the thumbnails of its images to those who have not bought it; default: false",
          true,
        ),
      }),
    example: { fileId: "5hQ2vR8kLm3xTz0B", extendTtl: "7d", protect: true },
    refuses: {
      by: "claimToken",
      fields: NOT_BY_CLAIM_TOKEN,
      message: (field) => `A claim token cannot change \`${field}\`. Claim the share first, or omit \`${field}\`.`,
    },
    envelope: "data",
    output: () =>
      z.object({
        fileId,
        shortId,
        alias: aliasOutput,
        visibility: described(z.enum(["unlisted", "public"]), "Whether the share is on its owner's public page", "unlisted"),
        title: described(z.string().nullable(), "Title from the sender; null if none", "Slides for Monday"),
        message: described(z.string().nullable(), "Message from the sender; null if none", "Room 12 at nine."),
        expiresAt: described(dateTime.nullable(), "When the share expires; null: never", "2030-01-31T12:00:00Z"),
        latestExpiresAt: described(dateTime, "The latest time that expiresAt can be set to", "2030-02-28T12:00:00Z"),
        maxDownloads: described(z.int().nullable(), "Largest number of downloads of each file; null: no limit", 3),
        priceCents: described(z.int().nullable(), "Price in US cents; null: none", 500),
        priceThumbnails: described(z.boolean(), "Whether those who have not bought it see the thumbnails of its images", false),
        handoffMessage: described(z.string().nullable(), "Note on the page of its handoff link; null if none", "The slides for Monday."),
        retention: described(z.enum(["ttl", "forever"]), "forever: it is kept until it is deleted", "ttl"),
        direct: described(z.boolean(), "Whether opening the share link starts the download", false),
        immutable: described(z.boolean(), "Whether changes and deletion of one of its files are blocked", false),
        encrypted: described(z.boolean(), "Whether one of its files is end-to-end encrypted, so that it cannot have a price", false),
        sellingFee: described(
          z
            .object({
              basisPoints: described(z.int(), "Part of the price in hundredths of a percent", 500),
              fixedCents: described(z.int(), "Part of each sale in US cents", 30),
            })
            .nullable(),
          "The operator's fee for its sales; null if its owner cannot sell",
        ),
        notify: described(z.boolean().nullable(), "Whether you get notices of its downloads and its end; null: as your settings say", true),
        downloads: described(z.int(), "Downloads so far of the file that has the most", 1),
        state: shareState,
        otherLinks: described(z.int(), "Number of other links that have files of the share too, and keep them when it ends", 0),
        scanStatus,
        uploading: described(z.boolean(), "Whether a file of the share is still being uploaded", false),
        ...protection,
      }),
    errors: {
      401: "Neither a key nor a claim token",
      403: "Wrong claim token, or a field that it cannot change",
      404: "Unknown or not yours",
      409: "The file is immutable or claimed, the account cannot sell, or the alias is taken (`ALIAS_TAKEN`)",
    },
  }),
} as const;

const NOTIFY = "With an account: whether its owner gets notices of downloads and its end; default: as the account's settings say";

/** The recipients of a share whose private links are valid. */
export const linkedRecipients = z.object({
  address: described(z.string(), "The address of the newest", "grace@example.org"),
  others: described(z.int(), "Number of the others", 2),
});
export type LinkedRecipients = z.infer<typeof linkedRecipients>;

/** Publish fields, which every upload route accepts (sharing, "Publish fields"). */
export const publishFields = {
  visibility: described(z.enum(["unlisted", "public"]).nullish(), "public requires a username; default: unlisted", "unlisted"),
  direct: described(flag.nullish(), "Pro only: opening the share link starts the download", false),
  retention: described(z.enum(["ttl", "forever"]).nullish(), "forever requires Pro and a public share; default: ttl", "ttl"),
  expiresAt: described(dateTimeInput.nullish(), "When the share expires, within the tier's limit", "2030-01-31T12:00:00Z"),
  ttl: described(
    z
      .string()
      .regex(/^\d{1,4}(m|h|d|w)$/, "give a time such as 30m, 24h, 7d or 2w")
      .nullish(),
    "Time until the share expires: a number and m, h, d or w; default: the tier's longest",
    "24h",
  ),
  once: described(flag.nullish(), "One download only: the link stops working afterwards", true),
  maxDownloads: described(count.nullish(), "Largest number of downloads of each file; ignored if once is true", 3),
  protect: described(flag.nullish(), "Creates an unlock code and a private link, each shown once", true),
  password,
  handoffMessage: described(messageText(480).nullish(), "Note shown on the page of the handoff link", "The slides for Monday."),
  title: described(storedText(120).nullish(), "Title of the share, shown to recipients", "Slides for Monday"),
  message: described(messageText(480).nullish(), "Message shown to recipients", "Room 12 at nine."),
  notify: described(flag.nullish(), NOTIFY, true),
  alias: described(
    shareAlias.nullish(),
    "With an account: name of the share in its link, which anyone can guess; the short ID still leads to it",
    "trip-to-rome",
  ),
  runId: described(
    storedText(120).nullish(),
    "A name of your choice that groups files; lists of files can have those of one run",
    "build-42",
  ),
  openShare: described(flag.nullish(), "With a key: opens a shipment, which other files join by shareShortId", true),
  shareShortId: described(
    text(16).min(4).nullish(),
    "The short ID of the shipment that the file joins: requires the owner's key or `shareToken`",
    "7kXq9Zab",
  ),
  shareToken: described(
    text(200).nullish(),
    "The token of the shipment in `shareShortId`; adds files without the owner's key",
    "share_9wK4pT",
  ),
  folderId: described(
    z.uuid().nullish(),
    "With a key: the folder for the file; null: the root; default: the folder of relativePath",
    "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
  ),
  relativePath: described(text(1024).nullish(), "Path of the file in a shipment, with / between folders", "docs/report.pdf"),
  modifiedAt: described(
    dateTimeInput.nullish(),
    "When the sender's file was changed, which recipients see and get with it; ignored of an encrypted file",
    "2026-07-01T02:03:05.678Z",
  ),
  executable: described(
    flag.nullish(),
    "Whether the sender's file can be executed, which recipients see and get with it; ignored of an encrypted file",
    false,
  ),
  requestToken: described(
    text(200).nullish(),
    "The token of a request: the file goes to the account that asks, and no other field but relativePath, modifiedAt, executable, shareShortId and shareToken is accepted",
    "rq_3hT8nQ9kWm2X",
  ),
  senderName: described(storedText(100).nullish(), "With requestToken: the sender's name, shown to the account that asks", "Ada"),
  senderNote: described(
    messageText(480).nullish(),
    "With requestToken: the sender's note, shown to the account that asks",
    "Both versions.",
  ),
};

/** Publish fields as a caller sends them. */
export const sentPublish = z.object(publishFields);
export type SentPublish = z.infer<typeof sentPublish>;

/** The start of the stored hash of a password, by which it differs from the hash of an unlock code. */
export const PASSWORD_HASH_PREFIX = "scrypt:";
const passwordHash = z.string().startsWith(PASSWORD_HASH_PREFIX).brand<"PasswordHash">();
/** The hash of a share's password, in its stored form. */
export type PasswordHash = z.infer<typeof passwordHash>;

const { password: _, ...fieldsWithoutPassword } = publishFields;
/** Publish fields as the server passes and stores them: with the hash of a password in place of the password. */
export const publishInput = z.object({ ...fieldsWithoutPassword, passwordHash: passwordHash.nullish() });
export type PublishInput = z.infer<typeof publishInput> & { readonly password?: undefined };

/** Opens a shipment without a file (sharing, "Shipments"). */
export const shipmentsContract = {
  createShare: defineOperation({
    summary: "Open an empty shipment, whose link works immediately",
    description:
      "Add files with `shareShortId` and `shareToken` in any upload. Without a key, the response has the tokens that claim and delete the " +
      "shipment. `openShare`, `shareShortId`, `shareToken`, `folderId`, `relativePath`, `modifiedAt`, `executable` and `runId` are refused.",
    tag: "Shares",
    method: "POST",
    path: "/shares",
    access: "optional",
    input: () => sentPublish,
    example: { title: "Slides for Monday", ttl: "24h" },
    envelope: "data",
    output: () =>
      z
        .object({
          shortId,
          shareUrl: described(webUrl, "URL of the share, to send to recipients", "https://files.example.org/d/7kXq9Zab"),
          sharePath: described(z.string(), "Path of the share link", "/d/7kXq9Zab"),
          shareToken: described(secret(z.string()), "Adds files to the shipment for 24 hours; shown once", "share_9wK4pT"),
          claimToken: described(secret(z.string().optional()), "Claims or protects an anonymous shipment; shown once", "claim_8sY2kQ"),
          deletionToken: described(secret(z.string().optional()), "Deletes an anonymous shipment and its files; shown once", "del_4tR9wZ"),
          ...protectionCredentials,
          expiresAt: described(dateTime.nullable(), "When the shipment expires; null: never", "2030-01-31T12:00:00Z"),
        })
        .meta({ id: "OpenedShipment", description: "A shipment that was opened without a file" }),
    errors: { 429: "Too many shipments from this IP address; see Retry-After" },
  }),
} as const;
