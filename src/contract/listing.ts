import { z } from "zod";
import { uploadResult } from "./files.ts";
import { folder, folderOrRoot } from "./folders.ts";
import { defineOperation } from "./operation.ts";
import { limit, page, pagination } from "./paging.ts";
import { dateTime, failureReason, flag, keptText, text } from "./scalars.ts";

const fileStatus = z.enum(["active", "expired", "deleted", "dmca_removed"]);

/** A file as its owner sees it (decisions, "Listing"). */
const fileItem = uploadResult
  .omit({ claimToken: true, deletionToken: true, unlockCode: true, handoffUrl: true, idempotent: true })
  .extend({
    downloads: z.int(),
    folderId: z.string().nullable(),
    visibility: z.enum(["unlisted", "public"]),
    unlockRequired: z.boolean(),
    status: fileStatus,
    failureReason,
  })
  .meta({ id: "FileItem" });
export type FileItem = z.infer<typeof fileItem>;

const run = z.object({ runId: z.string(), artifacts: z.array(fileItem) });

/** `YYYY-MM-DD HH:MM:SS`, in UTC. */
const plainTime = z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);

const infoItem = z.union([
  z.object({
    status: z.literal(200),
    filecode: z.string(),
    name: z.string(),
    size: z.string(),
    uploaded: plainTime,
    download: z.string(),
    status_field: fileStatus,
    unlockRequired: z.boolean(),
    paymentRequired: z.boolean(),
    priceCents: z.int().nullable(),
  }),
  z.object({ status: z.literal(404), filecode: z.string() }),
]);
export type InfoItem = z.infer<typeof infoItem>;

/** How many codes one `GET /files/info` takes (decisions, "Accounts, keys, tiers"). */
const MAX_FILE_CODES = 100;

const downloadEvent = z.object({
  id: z.string(),
  created_at: dateTime,
  event_kind: z.enum(["authorized", "completed"]),
  route: z.string().nullable(),
  client_ua_class: z.string().nullable(),
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
      folderId: folderOrRoot.optional().meta({ description: "Those right in this folder; `null` for those in none; without it, all" }),
      includeFolders: flag.optional().meta({ description: "true by default: also the folders right in that folder, or in none" }),
      runId: keptText(120).optional(),
    }),
    output: z.union([
      z.object({ success: z.literal(true), data: run }),
      z.object({
        success: z.literal(true),
        data: z.object({ files: z.array(fileItem), folders: z.array(folder).optional() }),
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
        .transform((value) => value.replaceAll("\0", "")),
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
        .meta({ description: `Short codes, with commas between; ${MAX_FILE_CODES} at most` }),
    }),
    output: z.object({ msg: z.string(), server_time: plainTime, status: z.literal(200), result: z.array(infoItem) }),
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
      fileId: text(64).min(1),
      limit: limit("At once: 1 to 200, 50 by default"),
      cursor: z
        .union(
          [dateTime, z.string().regex(/^\d{1,15}_[0-9a-f-]{36}$/)],
          "give the `nextCursor` of the answer before, or a time that it named",
        )
        .optional()
        .meta({ description: "The `nextCursor` of the answer before, or the last `created_at` seen" }),
    }),
    output: z.object({ success: z.literal(true), events: z.array(downloadEvent), nextCursor: z.string().nullable() }),
    errors: { 404: "Unknown or not yours" },
  }),
} as const;
