import { z } from "zod";
import { uploadResult } from "./files.ts";
import { folder, folderOrRoot } from "./folders.ts";
import { defineOperation } from "./operation.ts";
import { limit, page, pagination } from "./paging.ts";
import { dateTime, described, failureReason, flag, keptText, text } from "./scalars.ts";

const fileStatus = described(
  z.enum(["active", "expired", "deleted", "dmca_removed"]),
  "Only an active file can be downloaded; dmca_removed was taken down by the operator",
  "active",
);

/** A file as its owner sees it (decisions, "Listing"). */
const fileItem = uploadResult
  .omit({ claimToken: true, deletionToken: true, unlockCode: true, handoffUrl: true, idempotent: true })
  .extend({
    downloads: described(z.int(), "How often it was downloaded", 3),
    folderId: described(z.string().nullable(), "The folder that it is in; null: in none"),
    visibility: described(z.enum(["unlisted", "public"]), "Whether it may appear on its owner's page", "unlisted"),
    unlockRequired: described(z.boolean(), "Whether a download needs an unlock code or a delivery link", false),
    status: fileStatus,
    failureReason,
  })
  .meta({ id: "FileItem", description: "A file as its owner sees it" });
export type FileItem = z.infer<typeof fileItem>;

const run = z.object({
  runId: described(z.string(), "The run", "build-42"),
  artifacts: described(z.array(fileItem), "Its files, newest first"),
});

/** `YYYY-MM-DD HH:MM:SS`, in UTC. */
const plainTime = (description: string) =>
  described(
    z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
    `${description}: YYYY-MM-DD HH:MM:SS, in UTC`,
    "2030-01-30 12:00:00",
  );

const infoItem = z.union([
  z.object({
    status: described(z.literal(200), "The code is known"),
    filecode: described(z.string(), "The code that was asked for", "7kXq9Zab"),
    name: described(z.string(), "Name of the file; empty of one that is deleted", "report.pdf"),
    size: described(z.string(), "Bytes, as a text", "48213"),
    uploaded: plainTime("When it was uploaded"),
    download: described(z.string(), "How often it was downloaded, as a text", "3"),
    status_field: fileStatus,
    unlockRequired: described(z.boolean(), "Whether a download needs an unlock code or a delivery link", false),
    paymentRequired: described(z.boolean(), "Whether a download has to be paid for", false),
    priceCents: described(z.int().nullable(), "Price in US cents; null: none"),
  }),
  z.object({
    status: described(z.literal(404), "The code is not known"),
    filecode: described(z.string(), "The code that was asked for", "7kXq9Zab"),
  }),
]);
export type InfoItem = z.infer<typeof infoItem>;

/** How many codes one `GET /files/info` takes (decisions, "Accounts, keys, tiers"). */
const MAX_FILE_CODES = 100;

const downloadEvent = z.object({
  id: described(z.string(), "The event's id, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
  created_at: described(dateTime, "When it happened", "2030-01-30T12:00:00Z"),
  event_kind: described(z.enum(["authorized", "completed"]), "A signed address was issued, or all bytes were sent", "completed"),
  route: described(z.string().nullable(), "By which way: api, page, direct, …", "api"),
  client_ua_class: described(z.string().nullable(), "What kind of client it was: browser, cli, bot, …", "cli"),
});

export const listingContract = {
  listFiles: defineOperation({
    summary: "List the account's files",
    description: "Newest first. With `runId`, the run's files instead, and page, folderId and includeFolders are ignored.",
    tag: "Listing",
    method: "GET",
    path: "/files/list",
    access: "files_read",
    ignores: { by: "runId", fields: ["page", "folderId", "includeFolders"] },
    input: z.object({
      page,
      limit: limit("At once: 1 to 200, 50 by default; with runId 1 to 500, 100 by default"),
      folderId: described(folderOrRoot.optional(), "Those right in this folder; `null` for those in none; without it, all", "null"),
      includeFolders: described(flag.optional(), "true by default: also the folders right in that folder, or in none", true),
      runId: described(keptText(120).optional(), "The files of this run, in place of a page", "build-42"),
    }),
    output: z.union([
      z.object({ success: z.literal(true), data: run }),
      z.object({
        success: z.literal(true),
        data: z.object({
          files: described(z.array(fileItem), "The files of this page, newest first"),
          folders: described(z.array(folder).optional(), "The folders right in that folder, or in none"),
        }),
        pagination,
      }),
    ]),
    errors: { 404: "The folder is unknown or not yours" },
  }),
  listRun: defineOperation({
    summary: "List the files of a run",
    tag: "Listing",
    method: "GET",
    path: "/files/run/{runId}",
    access: "files_read",
    input: z.object({
      runId: text(120)
        .min(1)
        .transform((value) => value.replaceAll("\0", ""))
        .meta({ description: "The run, as its files were sent with", examples: ["build-42"] }),
      limit: limit("At once: 1 to 500, 100 by default"),
    }),
    output: z.object({ success: z.literal(true), data: run }),
    errors: {},
  }),
  getFileInfo: defineOperation({
    summary: "Look up files by their short codes",
    tag: "Listing",
    method: "GET",
    path: "/files/info",
    access: "optional",
    keyInQuery: true,
    requests: (input) => input.file_code.length,
    input: z.object({
      file_code: z
        .string()
        .regex(/[^,\s]/, "name at least one code")
        .transform((text) =>
          text
            .split(",")
            .map((code) => code.trim())
            .filter((code) => code !== ""),
        )
        .pipe(z.array(z.string()).max(MAX_FILE_CODES, `name at most ${MAX_FILE_CODES} codes`))
        .meta({ description: `Short codes, with commas between; ${MAX_FILE_CODES} at most`, examples: ["7kXq9Zab"] }),
    }),
    output: z.object({
      msg: described(z.string(), "OK", "OK"),
      server_time: plainTime("What time it is"),
      status: described(z.literal(200), "Always 200; each item has its own"),
      result: described(z.array(infoItem), "One item for each code, in their order"),
    }),
    errors: {},
  }),
  listDownloadEvents: defineOperation({
    summary: "List the downloads of a file",
    description: "Oldest first. Says nothing of who downloaded.",
    tag: "Listing",
    method: "GET",
    path: "/files/{fileId}/download-events",
    access: "files_read",
    input: z.object({
      fileId: described(text(64).min(1), "The file's id", "5hQ2vR8kLm3xTz0B"),
      limit: limit("At once: 1 to 200, 50 by default"),
      cursor: z
        .union(
          [dateTime, z.string().regex(/^\d{1,15}_[0-9a-f-]{36}$/)],
          "give the `nextCursor` of the answer before, or a time that it named",
        )
        .optional()
        .meta({ description: "The `nextCursor` of the answer before, or the last `created_at` seen", examples: ["2030-01-30T12:00:00Z"] }),
    }),
    output: z.object({
      success: z.literal(true),
      events: described(z.array(downloadEvent), "What happened, oldest first"),
      nextCursor: described(z.string().nullable(), "Where the next page begins; null: this is the last"),
    }),
    errors: { 404: "Unknown or not yours" },
  }),
} as const;
