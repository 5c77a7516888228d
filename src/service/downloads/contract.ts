import { z } from "zod";
import { DOWNLOAD_CHANNELS } from "../../contract/channels.ts";
import { defineOperation } from "../../contract/operation.ts";
import { limit } from "../../contract/paging.ts";
import {
  dateTime,
  described,
  fileId,
  handoffText,
  proofOfWorkFields,
  readingToken,
  shortId,
  TOO_MANY_CODES,
  text,
  unlockKind,
  unlockText,
} from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { webUrl } from "../../contract/web-url.ts";
import { chosenFiles, fileItem, fileLink } from "../files/contract.ts";
import { aliasOutput } from "../shares/contract.ts";

const downloadCredentials = {
  unlockCode: described(
    unlockText.optional(),
    "The unlock code of a protected share; a password is exchanged for an unlockToken first",
    "K7MP3X",
  ),
  unlockToken: described(text(500).optional(), "In place of the code: the token that unlocking returned", "ul_mrxkz2g0.7bN2vQ"),
  handoffToken: described(handoffText.optional(), "The token of a handoff link, instead of the code", "ho_5Yc1mQ"),
  purchaseToken: described(text(200).optional(), "Proof of payment for a priced share", "pu_3xK9"),
  ...proofOfWorkFields,
};

const url = described(
  secret(webUrl),
  "Signed URL of the bytes, valid for one hour",
  "https://files.example.org/dl/5hQ2vR8kLm3xTz0B/report.pdf?p=d&e=t5k2c0&s=Zm9v",
);
/** The response, which has no envelope: a known client treats any `data.url` as a payment link (downloads, "Getting a signed URL"). */
const signedUrl = z.object({ success: z.literal(true), url });

const downloadEvent = z.object({
  id: described(z.string(), "The event's ID, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
  created_at: described(dateTime, "When it happened", "2030-01-30T12:00:00Z"),
  event_kind: described(
    z.enum(["authorized", "completed"]),
    "authorized: a signed URL was issued; completed: all bytes were sent",
    "completed",
  ),
  route: described(
    z.string().nullable(),
    `Entry point: ${DOWNLOAD_CHANNELS.authorized.join(", ")} for authorized; ${DOWNLOAD_CHANNELS.completed.join(", ")} for completed`,
    "api",
  ),
  client_ua_class: described(z.string().nullable(), "Kind of client: browser, cli, bot, …", "cli"),
});

const shareDownload = z.object({
  at: described(dateTime, "When it was counted", "2030-01-30T12:00:00Z"),
  route: described(z.string().nullable(), `Entry point of the download: ${DOWNLOAD_CHANNELS.authorized.join(", ")}`, "page"),
  client: described(z.string().nullable(), "Kind of client: browser, cli, bot, other", "browser"),
  files: described(z.int(), "Number of files", 1),
  name: described(z.string(), "Name of the file, or of one of them; empty if it is deleted", "report.pdf"),
});
const relatedFiles = z.array(z.object({ id: fileId, name: described(z.string(), "Name of the file", "report.pdf") }));

/** A file as its owner sees it, with its share (listing, "A file"). */
const fileDetails = fileItem
  .extend({
    scanCoverage: described(
      z.enum(["whole", "windowed", "none"]).nullable(),
      "How it was scanned; null until the scan has finished",
      "whole",
    ),
    preview: z
      .object({
        kind: described(z.enum(["image", "audio", "video", "pdf", "markdown", "text", "zip"]), "How `url` is shown", "image"),
        url: described(
          secret(webUrl),
          "Signed URL, valid for 14 minutes",
          "https://files.example.org/pv/5hQ2vR8kLm3xTz0B/a.png?e=t5k2c0&s=Zm9v",
        ),
        originalUrl: described(
          secret(webUrl).nullable(),
          "Signed URL of a large image's original, if `url` has a reduced image that replaces it",
          "https://files.example.org/pv/5hQ2vR8kLm3xTz0B/a.png?e=t5k2c0&s=Zm9v",
        ),
        width: described(z.int().nullable(), "Width of the image at `url` in pixels; null if it is unknown", 1600),
        height: described(z.int().nullable(), "Height of the image at `url` in pixels; null if it is unknown", 1200),
        placeholder: described(
          z.string().nullable(),
          "A blurred image to show until the image has loaded, as a data: URL; null without one",
          "data:image/png;base64,iVBORw0KGgo=",
        ),
      })
      .nullable()
      .meta({ description: "Null without a preview" }),
    share: described(
      z.object({
        kind: described(z.enum(["file", "shipment"]), "One file, or a shipment of several files", "file"),
        files: described(z.int(), "Number of its active files", 1),
        title: described(z.string().nullable(), "Title of the share", "Slides for Monday"),
        message: described(z.string().nullable(), "Message to recipients", "Room 12 at nine."),
        alias: aliasOutput,
        handoffMessage: described(z.string().nullable(), "Note on the page of its handoff link", "The slides for Monday."),
        latestExpiresAt: described(dateTime, "The latest expiry that can be set now", "2030-02-06T12:00:00Z"),
        priceCents: described(z.int().nullable(), "Price in US cents; null: none", 500),
        priceThumbnails: described(z.boolean(), "Whether those who have not bought it see the thumbnails of its images", false),
        maxDownloads: described(z.int().nullable(), "Largest number of downloads of each file; null: no limit", 3),
        retention: described(z.enum(["ttl", "forever"]), "forever: it is kept until it is deleted", "ttl"),
        direct: described(z.boolean(), "Whether opening the share link starts the download", false),
        notify: described(z.boolean().nullable(), "Whether you get notices of its downloads and its end; null: as your settings say"),
      }),
      "The settings of its share",
    ),
    links: described(
      z.array(
        fileLink.extend({
          kind: described(z.enum(["file", "shipment"]), "One file, or a shipment of several files", "file"),
          createdAt: described(dateTime, "When the file got its place in the share", "2030-01-30T12:00:00Z"),
          expiresAt: described(dateTime.nullable(), "When the share expires; null: never", "2030-01-31T12:00:00Z"),
          visibility: described(z.enum(["unlisted", "public"]), "public: the share is on its owner's public page", "unlisted"),
          unlockRequired: described(z.boolean(), "Whether a download requires an unlock code or a handoff link", false),
          unlockKind,
          downloads: described(z.int(), "Number of downloads of the file from this share", 3),
          maxDownloads: described(z.int().nullable(), "Largest number of downloads of each file; null: no limit", 3),
          priceCents: described(z.int().nullable(), "Price in US cents; null: none", 500),
          immutable: described(z.boolean(), "Whether its settings, name and deletion are blocked", false),
        }),
      ),
      "Its links with their settings, the oldest first, at most 1,000",
    ),
    madeFrom: described(relatedFiles, "The files that it was made from, at most 100"),
    usedIn: described(relatedFiles, "The files that were made from it, at most 100"),
  })
  .meta({ id: "FileDetails", description: "A file as its owner sees it, with its share" });

export const downloadsContract = {
  authorizeArchive: defineOperation({
    summary: "Get a signed URL for all files, or chosen ones, as one ZIP",
    description:
      "Accepts the credentials of a download. Counts as one download of each clean file, and as one request for each hundred files. The ZIP is streamed with a known length.",
    tag: "Shares",
    method: "GET",
    path: "/files/share/{shortId}/archive",
    access: "optional",
    counts: true,
    input: () =>
      z.object({
        shortId,
        fileIds: described(
          text(10_000).optional(),
          "IDs of the files to include, with commas between them",
          "5hQ2vR8kLm3xTz0B,8kLm3xTz0B5hQ2vR",
        ),
        folder: described(text(1024).optional(), "The folder to include: the beginning of relative paths, in whole segments", "Trip/2025"),
        ...downloadCredentials,
      }),
    output: () => signedUrl,
    errors: {
      402: "The share has a price",
      403: "Protected",
      404: "Missing, expired or blocked",
      409: "The file is not ready: it is being uploaded, or its scan has not finished",
      429: TOO_MANY_CODES,
    },
  }),
  archiveFiles: defineOperation({
    summary: "Get a signed URL for files and folders of the account as one ZIP",
    description: "Folders come with all that is in them. Counts no download, and as one request for each hundred files.",
    tag: "Files",
    method: "POST",
    path: "/files/archive",
    access: "files_read",
    needsOneOf: ["fileIds", "folderIds"],
    input: () => z.object(chosenFiles),
    example: { fileIds: ["5hQ2vR8kLm3xTz0B"] },
    output: () => signedUrl,
    errors: {
      404: "A file or folder is unknown or not yours, or all are blocked",
      409: "The file is not ready: it is being uploaded, or its scan has not finished",
    },
  }),
  authorizeDownload: defineOperation({
    summary: "Get a signed download URL",
    description: "The URL is valid for one hour. Each call counts as a download.",
    tag: "Shares",
    method: "GET",
    path: "/files/download/{fileId}",
    access: "optional",
    counts: true,
    input: () => z.object({ fileId, ...downloadCredentials }),
    output: () => signedUrl,
    errors: {
      402: "The share has a price",
      403: "Protected",
      404: "Missing, expired, used up or blocked",
      409: "The file is not ready: it is being uploaded, or its scan has not finished",
      429: TOO_MANY_CODES,
    },
  }),
  readShareText: defineOperation({
    summary: "Get the texts of a share's small text files",
    description:
      "Files of at most 64 KB together, 20 at most, in the order of the share: those that have a preview on its page, so none of a share with a " +
      "download limit, a price, or a code without a valid `unlockToken` or the owner's key. Counts no download.",
    tag: "Shares",
    method: "GET",
    path: "/files/share/{shortId}/text",
    access: "public",
    input: () =>
      z.object({
        shortId,
        unlockToken: readingToken,
      }),
    envelope: "data",
    output: () =>
      z.array(
        z.object({
          id: fileId,
          name: described(z.string(), "Name of the file", "notes.txt"),
          contentType: described(z.string(), "Media type of the file", "text/plain"),
          text: described(z.string(), "Its text, with visible signs in place of hidden characters", "Room 12 at nine."),
        }),
      ),
    errors: { 404: "Unknown or expired" },
  }),
  getFile: defineOperation({
    summary: "Get a file of the account, with its share",
    description: "Also the settings of its share, a preview, and the files that it was made from or that were made from it.",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/files/{fileId}/details",
    access: "files_read",
    input: () => z.object({ fileId: described(text(64).min(1), "The file's ID", "5hQ2vR8kLm3xTz0B") }),
    envelope: "data",
    output: () => fileDetails,
    errors: { 404: "Unknown or not yours" },
  }),
  listDownloadEvents: defineOperation({
    summary: "List the downloads of a file",
    description: "Oldest first. The events do not identify recipients.",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/files/{fileId}/download-events",
    access: "files_read",
    input: () =>
      z.object({
        fileId: described(text(64).min(1), "The file's ID", "5hQ2vR8kLm3xTz0B"),
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor: z
          .union(
            [dateTime, z.string().regex(/^\d{1,15}_[0-9a-f-]{36}$/)],
            "give the `nextCursor` of the previous response, or a `created_at` from it",
          )
          .optional()
          .meta({
            description: "The `nextCursor` of the previous response, or the last `created_at` seen",
            examples: ["2030-01-30T12:00:00Z"],
          }),
      }),
    output: () =>
      z.object({
        success: z.literal(true),
        events: described(z.array(downloadEvent), "The events, oldest first"),
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: { 404: "Unknown or not yours" },
  }),
  listShareDownloads: defineOperation({
    summary: "List when a share was downloaded",
    description: "Newest first. A download of many files as one ZIP is one item. The items do not identify recipients.",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/shares/{shortId}/downloads",
    access: "files_read",
    input: () =>
      z.object({
        shortId,
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor: z
          .string()
          .regex(/^\d{1,15}$/, "give the `nextCursor` of the previous response")
          .optional()
          .meta({ description: "The `nextCursor` of the previous response", examples: ["1926590400000"] }),
      }),
    output: () =>
      z.object({
        success: z.literal(true),
        data: described(z.array(shareDownload), "The downloads, newest first"),
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: { 404: "Unknown or not yours" },
  }),
} as const;
