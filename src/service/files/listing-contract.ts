import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit, listOf, page, pagination } from "../../contract/paging.ts";
import { dateTime, described, fileId, flag, scanStatus, storedText, text, unlockKind } from "../../contract/scalars.ts";
import { fileItem, fileStatus } from "./contract.ts";
import { FOLDER_ID, folder, folderOrRoot } from "./folders-contract.ts";

const run = z.object({
  runId: described(z.string(), "The run", "build-42"),
  total: described(z.int(), "Number of its files", 1),
  artifacts: described(z.array(fileItem), "Its files, newest first; those of the page"),
});

/** Returns a time in the form `YYYY-MM-DD HH:MM:SS`, in UTC. */
const plainTime = (description: string) =>
  described(
    z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
    `${description}: YYYY-MM-DD HH:MM:SS, in UTC`,
    "2030-01-30 12:00:00",
  );

const infoItem = z.xor([
  z.object({
    status: described(z.literal(200), "The code is known"),
    filecode: described(z.string(), "The requested code", "7kXq9Zab"),
    name: described(z.string(), "Name of the file; empty if it is deleted", "report.pdf"),
    size: described(z.string(), "Size in bytes, as a string", "48213"),
    uploaded: plainTime("When it was uploaded"),
    download: described(z.string(), "Number of downloads, as a string", "3"),
    status_field: fileStatus,
    isUsedUp: described(z.boolean(), "Whether it expired because its last download was counted", false),
    unlockRequired: described(z.boolean(), "Whether a download requires an unlock code or a handoff link", false),
    unlockKind,
    paymentRequired: described(z.boolean(), "Whether a download requires a payment", false),
    priceCents: described(z.int().nullable(), "Price in US cents; null: none"),
    title: described(z.string().nullable(), "Title of the share; null: none, or it is protected or has a price", "Slides for Monday"),
    expiresAt: described(dateTime.nullable(), "When the share expires; null: never", "2030-01-31T12:00:00Z"),
    scanStatus: described(scanStatus.nullable(), "The scan of its least advanced file; null if the share is not active", "clean"),
    uploading: described(z.boolean(), "Whether bytes of its files are still arriving", false),
  }),
  z.object({
    status: described(z.literal(404), "The code is not known"),
    filecode: described(z.string(), "The requested code", "7kXq9Zab"),
  }),
]);
export type InfoItem = z.infer<typeof infoItem>;

const search = described(text(200).optional(), "Only those whose names contain these words; case and accents do not matter", "report");
const listedFolder = described(
  folderOrRoot.optional(),
  "Only those directly in this folder; `null`: only those without a folder; default: all",
  "null",
);
const namedFolder = z.object({
  id: described(z.string(), "The folder's ID", FOLDER_ID),
  name: described(z.string(), "Its name", "Reports"),
});

const listedLink = z.object({
  shortId: described(z.string(), "The short ID of the share", "7kXq9Zab"),
  shareUrl: described(z.url(), "The link", "https://files.example.org/d/7kXq9Zab"),
  sharePath: described(z.string(), "Its path", "/d/7kXq9Zab"),
  title: described(z.string().nullable(), "The title of the share; null: none", "Trip to Rome"),
  encrypted: described(z.boolean(), "Whether one of its files is encrypted", false),
});

/** Maximum number of codes in one `GET /files/info` (listing, "File info"). */
const MAX_FILE_CODES = 100;

export const listingContract = {
  listFiles: defineOperation({
    summary: "List the account's files",
    description: "Newest first, or as `sort` says. With `runId`, lists the run's files instead, and ignores all other fields but limit.",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/files/list",
    access: "files_read",
    ignores: { by: "runId", fields: ["page", "folderId", "includeFolders", "sort", "order", "search"] },
    input: () =>
      z.object({
        page,
        limit: limit("Items on a page: 1 to 200; default: 50. With runId 1 to 500; default: 100"),
        folderId: listedFolder,
        search,
        sort: described(z.enum(["created", "name", "size", "state"]).optional(), "What to sort by; default: created", "name"),
        order: described(
          z.enum(["asc", "desc"]).optional(),
          "default: the newest, the largest, the first by name, or what needs attention comes first",
          "asc",
        ),
        includeFolders: described(flag.optional(), "Whether to include the folders directly in that folder; default: true", true),
        runId: described(storedText(120).optional(), "List the files of this run instead of a page", "build-42"),
      }),
    output: () =>
      z.xor([
        z.object({ success: z.literal(true), data: run }),
        z.object({
          success: z.literal(true),
          data: z.object({
            files: described(z.array(fileItem), "The files of this page"),
            folders: described(z.array(folder).optional(), "The folders directly in that folder; in a search, those that it finds"),
            path: described(z.array(namedFolder).optional(), "With a folder's ID: the folders from the root to it"),
            parents: described(z.array(namedFolder).optional(), "In a search: the folders that the files and folders are in"),
          }),
          pagination,
        }),
      ]),
    errors: { 404: "The folder is unknown or not yours" },
  }),
  listFileIds: defineOperation({
    summary: "List the IDs of the account's files",
    description: "At most 10,000, by name: what a list has on all its pages, to change all of it.",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/files/list/ids",
    access: "files_read",
    input: () =>
      z.object({
        folderId: listedFolder,
        search,
        recursive: flag.optional().meta({ description: "With a folder: also those in the folders inside it, at every depth" }),
      }),
    envelope: "data",
    output: () =>
      z.object({
        ids: described(z.array(fileId), "The IDs of the files"),
        linkedIds: described(z.array(fileId), "Those of them that have other links than their own, by name"),
        links: described(
          z.array(listedLink).optional(),
          "With a folder's ID: the links to exactly these files, the oldest first, at most 20",
        ),
      }),
    errors: { 404: "The folder is unknown or not yours" },
  }),
  listRun: defineOperation({
    summary: "List the files of a run",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/files/run/{runId}",
    access: "files_read",
    input: () =>
      z.object({
        runId: text(120)
          .min(1)
          .transform((value) => value.replaceAll("\0", ""))
          .meta({ description: "The run's ID, as sent with its files", examples: ["build-42"] }),
        page,
        limit: limit("Items on a page: 1 to 500; default: 100"),
      }),
    envelope: "data",
    output: () => run,
    errors: {},
  }),
  listRuns: defineOperation({
    summary: "List the account's runs",
    description: "That with the newest file first.",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/files/run",
    access: "files_read",
    input: () => z.object({ page, limit: limit("Items on a page: 1 to 200; default: 50") }),
    output: () =>
      listOf(
        z.object({
          runId: described(z.string(), "The run", "build-42"),
          files: described(z.int(), "Number of its files", 3),
          size: described(z.int(), "Bytes of its files", 48_213),
          createdAt: described(dateTime, "When its first file was complete", "2030-01-30T12:00:00Z"),
          updatedAt: described(dateTime, "When its newest file was complete", "2030-01-30T12:05:00Z"),
        }),
      ).extend({ pagination }),
    errors: {},
  }),
  getFileInfo: defineOperation({
    summary: "Look up files by their short codes",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/files/info",
    access: "optional",
    keyInQuery: true,
    requests: (input) => input.file_code.length,
    input: () =>
      z.object({
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
          .meta({ description: `Short codes, separated by commas; at most ${MAX_FILE_CODES}`, examples: ["7kXq9Zab"] }),
      }),
    output: () =>
      z.object({
        msg: described(z.string(), "OK", "OK"),
        server_time: plainTime("Time of the server"),
        status: described(z.literal(200), "Always 200; each item has its own status"),
        result: described(z.array(infoItem), "One item for each code, in the order of the codes"),
      }),
    errors: {},
  }),
} as const;
