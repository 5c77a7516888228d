import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit } from "../../contract/paging.ts";
import { dateTime, described, flag, scanStatus, shortId, storedText, unlockKind } from "../../contract/scalars.ts";
import { webUrl } from "../../contract/web-url.ts";
import { aliasOutput, shareState } from "./contract.ts";

const LISTS = ["active", "expiring", "ended"] as const;

/** A share as its owner sees it in lists (listing, "Shares"). */
const shareItem = z
  .object({
    shortId,
    alias: aliasOutput,
    shareUrl: described(webUrl, "URL of the share, to send to recipients", "https://files.example.org/d/7kXq9Zab"),
    sharePath: described(z.string(), "Path of the share link", "/d/7kXq9Zab"),
    kind: described(z.enum(["file", "shipment"]), "One file, or a shipment of several files", "file"),
    title: described(z.string().nullable(), "Title for recipients; null: none", "Slides for Monday"),
    name: described(z.string().nullable(), "Name of its file, or of a shipment's first; null: it has no files", "report.pdf"),
    folder: described(z.string().nullable(), "Path of the folder that all its files are in; null: none", "Trip to Rome"),
    encrypted: described(z.boolean(), "Whether a file is encrypted", false),
    files: described(z.int(), "Number of files", 1),
    size: described(z.int(), "Bytes of all files", 48_213),
    state: shareState,
    scanStatus,
    uploading: described(z.boolean(), "Whether a file is still being uploaded", false),
    visibility: described(z.enum(["unlisted", "public"]), "Whether the share is on its owner's public page", "unlisted"),
    unlockRequired: described(z.boolean(), "Whether a download requires an unlock code or a handoff link", false),
    unlockKind,
    immutable: described(z.boolean(), "Whether a file is immutable, so that the share cannot be closed", false),
    otherLinks: described(z.int(), "Number of other links that have files of it too, and keep them when it ends", 0),
    filesLeft: described(
      z.int().nullable(),
      "Of an expired or used up share: number of its files that you still have, which can be shared again; null: any other share",
    ),
    downloads: described(z.int(), "Downloads so far of the file that has the most", 3),
    maxDownloads: described(z.int().nullable(), "Largest number of downloads of each file; null: no limit", 10),
    notify: described(z.boolean().nullable(), "Whether you get notices of its downloads and its end; null: as your settings say"),
    createdAt: described(dateTime, "When it was created", "2030-01-30T12:00:00Z"),
    expiresAt: described(dateTime.nullable(), "When it expires, or would have; null: never", "2030-01-31T12:00:00Z"),
    endedAt: described(dateTime.nullable(), "When it ended; null: it has not"),
  })
  .meta({ id: "ShareItem", description: "A share as its owner sees it" });
export type ShareItem = z.infer<typeof shareItem>;

const cursor = z
  .string()
  .regex(/^\d{1,15}_[0-9A-Za-z]{1,16}$/, "give the `nextCursor` of the previous response")
  .optional()
  .meta({ description: "The `nextCursor` of the previous response", examples: ["1926590400000_7kXq9Zab"] });

const publicShare = z
  .object({
    shortId,
    shareUrl: described(webUrl, "URL of the share", "https://files.example.org/d/7kXq9Zab"),
    sharePath: described(z.string(), "Path of the share link", "/d/7kXq9Zab"),
    title: described(z.string().nullable(), "Title; null: none", "Slides for Monday"),
    name: described(z.string(), "Name of its file, or of a shipment's first", "report.pdf"),
    contentType: described(z.string(), "Media type of that file", "application/pdf"),
    encrypted: described(z.boolean(), "Whether a file is encrypted", false),
    files: described(z.int(), "Number of files", 1),
    size: described(z.int(), "Bytes of all files", 48_213),
    createdAt: described(dateTime, "When it was created", "2030-01-30T12:00:00Z"),
    expiresAt: described(dateTime.nullable(), "When it expires; null: never", "2030-01-31T12:00:00Z"),
  })
  .meta({ id: "PublicShare", description: "A share on the public page of an account" });

/** The lists of an account's shares, and the owner's actions in them. */
export const shareListContract = {
  listShares: defineOperation({
    summary: "List the account's shares",
    description:
      "`active`: newest first. `expiring`: those that expire within three days, the next one first. `ended`: expired, used up, closed or " +
      "taken down in the last 30 days, the last one first, without those that were removed from the list. Deleted shares are not listed.",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/shares",
    access: "files_read",
    input: () =>
      z.object({
        state: described(z.enum(LISTS, `give ${LISTS.join(", ")}`).optional(), "Which shares; default: active", "active"),
        search: described(storedText(200).optional(), "Part of the title or of a file's name; case does not matter", "rep"),
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor,
      }),
    output: () =>
      z.object({
        success: z.literal(true),
        data: described(z.array(shareItem), "The shares of this page"),
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: {},
  }),
  listPublicShares: defineOperation({
    summary: "List the public shares of an account",
    description: "Newest first: shares that are public, unprotected and not expired, and whose files have all passed the malware scan.",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/users/{username}/shares",
    access: "public",
    input: () =>
      z.object({
        username: described(z.string().min(1), "The account's username; case does not matter", "ada"),
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor,
      }),
    output: () =>
      z.object({
        success: z.literal(true),
        data: z.object({
          username: described(z.string(), "The account's username", "ada"),
          name: described(z.string().nullable(), "The name that the account shows to recipients; null: it shows none", "Ada Lovelace"),
          shares: described(z.array(publicShare), "The shares of this page"),
        }),
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: { 404: "No account has this username" },
  }),
  closeShare: defineOperation({
    summary: "Close a share",
    description:
      "Its link stops working immediately and its files expire, as if its time had passed. It stays in the list of ended shares.",
    tag: "Shares",
    method: "POST",
    path: "/shares/{shortId}/close",
    access: "files_write",
    input: () =>
      z.object({
        shortId,
        force: flag.optional().meta({ description: "Close it even if buyers have not downloaded what they paid for" }),
      }),
    envelope: "data",
    output: () => z.object({ shortId }),
    errors: {
      404: "Unknown or not yours",
      409: "A file of it is immutable, its only file is still being uploaded, or it has buyers (`HAS_BUYERS`)",
    },
  }),
} as const;
