import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit, listOf, page, pagination } from "../../contract/paging.ts";
import {
  dateTime,
  described,
  EXAMPLE_SHA256,
  failureReason,
  fileId,
  fileNameInput,
  flag,
  protectionCredentials,
  scanStatus,
  shortId,
  storedText,
  text,
} from "../../contract/scalars.ts";
import { publishFields } from "../shares/contract.ts";

/** The result of an upload (model, "The upload response"). */
export const uploadResult = z
  .object({
    id: fileId,
    shortId,
    shortCode: described(z.string(), "The same as shortId", "7kXq9Zab"),
    shareUrl: described(z.url(), "URL of the share, to send to recipients", "https://files.example.org/d/7kXq9Zab"),
    sharePath: described(z.string(), "Path of the share link", "/d/7kXq9Zab"),
    url: described(
      z.url(),
      "Signed URL for the uploader, valid for 24 hours; it works after the malware scan. For the sender of a file to a request, its shareUrl",
      "https://files.example.org/dl/5hQ2vR8kLm3xTz0B/report.pdf?p=u&e=t5k2c0&s=Zm9v",
    ),
    name: described(z.string(), "Name of the file", "report.pdf"),
    size: described(z.int(), "Bytes", 48_213),
    mimeType: described(z.string(), "Media type, detected from the bytes if possible", "application/pdf"),
    sha256: described(z.string().nullable(), "SHA-256, hexadecimal; null until it is known", EXAMPLE_SHA256),
    createdAt: described(dateTime, "When the file was complete", "2030-01-30T12:00:00Z"),
    expiresAt: described(dateTime.nullable(), "When the share expires; null: never", "2030-01-31T12:00:00Z"),
    isAnonymous: described(z.boolean(), "Whether it was uploaded without a key", true),
    runId: described(z.string().nullable(), "The run that the file belongs to", "build-42"),
    scanStatus,
    claimToken: described(z.string().optional(), "Claims or protects an anonymous upload; shown once", "claim_8sY2kQ"),
    deletionToken: described(
      z.string().optional(),
      "Deletes an anonymous upload, or removes one that was sent to a request; shown once",
      "del_4tR9wZ",
    ),
    ...protectionCredentials,
    idempotent: described(
      z.boolean().optional(),
      "true if this response repeats that of an earlier request with the same Idempotency-Key",
      true,
    ),
  })
  .meta({ id: "Upload", description: "An uploaded or imported file" });
export type UploadResult = z.infer<typeof uploadResult>;

const { runId: _run, openShare: _open, shareShortId: _join, shareToken: _token, ...notOfFiles } = publishFields;
const {
  folderId: _folder,
  relativePath: _path,
  requestToken: _request,
  senderName: _name,
  senderNote: _note,
  ...shareSettings
} = notOfFiles;

export const filesContract = {
  shareFiles: defineOperation({
    summary: "Share files that others sent to you",
    description: "The files get a new share: one file, or a shipment. Files that are shared already are refused.",
    tag: "Files",
    method: "POST",
    path: "/files/share",
    access: "files_write",
    input: z.object({
      fileIds: described(z.array(text(64).min(1)).min(1).max(1_000), "The files, 1 to 1,000", ["5hQ2vR8kLm3xTz0B"]),
      ...shareSettings,
    }),
    example: { fileIds: ["5hQ2vR8kLm3xTz0B"] },
    envelope: "data",
    output: z.object({
      shortId,
      shareUrl: described(z.url(), "URL of the share, to send to recipients", "https://files.example.org/d/7kXq9Zab"),
      sharePath: described(z.string(), "Path of the share link", "/d/7kXq9Zab"),
      ...protectionCredentials,
      expiresAt: described(dateTime.nullable(), "When the share expires; null: never", "2030-01-31T12:00:00Z"),
    }),
    errors: { 404: "A file is unknown or not yours", 409: "A file is shared already" },
  }),
  deleteFile: defineOperation({
    summary: "Delete a file or a shipment permanently",
    description: "Send the owner's key or, for an anonymous upload, its deletion token. A shipment's short ID deletes all its files.",
    tag: "Files",
    method: "DELETE",
    path: "/files/delete",
    access: "optional",
    input: z.object({
      fileId: described(z.string().min(1), "The file's ID, or the short ID of a shipment", "5hQ2vR8kLm3xTz0B"),
      token: described(z.string().min(1).optional(), "The deletion token of an anonymous upload or shipment", "del_4tR9wZ"),
      force: flag.optional().meta({ description: "Owner only: delete the file even if it is immutable or other files were made from it" }),
    }),
    envelope: "data",
    output: z.object({ id: described(z.string(), "The ID that was sent", "5hQ2vR8kLm3xTz0B") }),
    errors: {
      401: "The file belongs to an account, and no credential was sent",
      403: "Wrong token",
      404: "Unknown or not yours",
      409: "Immutable",
    },
  }),
} as const;

const FOLDER_ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";

/** A folder, with its times (folders, "Operations"). */
export const folder = z
  .object({
    id: described(z.string(), "The folder's ID, a UUID", FOLDER_ID),
    name: described(z.string(), "Its name", "Reports"),
    parent_id: described(z.string().nullable(), "Parent folder; null: none"),
    file_count: described(z.int().optional(), "Files directly in the folder; absent in search results", 12),
    total_size: described(z.int().optional(), "Bytes of those files; absent in search results", 48_213),
    created_at: described(dateTime, "When it was created", "2030-01-30T12:00:00Z"),
    updated_at: described(dateTime, "When it was last renamed or moved", "2030-01-30T12:00:00Z"),
  })
  .meta({ id: "Folder", description: "A folder of an account" });
export type Folder = z.infer<typeof folder>;

const folderId = described(text(64).min(1), "The folder's ID, a UUID", FOLDER_ID);
const name = text(200)
  .trim()
  .min(1, "give a name of 1 to 200 characters")
  .regex(/\S/, "give a name of 1 to 200 characters")
  .meta({ description: "The folder's name, 1 to 200 characters", examples: ["Reports"] });

/** A folder's ID, or `null` for the root. */
const folderOrRoot = z.union([z.uuid(), z.literal("null").transform(() => null)], "give a folder's ID, or null for the root");

export const foldersContract = {
  listFolders: defineOperation({
    summary: "List or search folders",
    tag: "Folders",
    method: "GET",
    isCompressed: true,
    path: "/folders/list",
    access: "files_read",
    input: z.object({
      parentId: described(
        folderOrRoot.optional(),
        "Only those directly in this folder; `null`: only those without a folder; default: all",
        "null",
      ),
      search: described(text(200).optional(), "Part of the name; case does not matter", "rep"),
      page,
      limit: limit("Items on a page: 1 to 200; default: 50"),
    }),
    output: listOf(folder).extend({ pagination }),
    errors: { 404: "The folder is unknown or not yours" },
  }),
  createFolder: defineOperation({
    summary: "Create a folder",
    tag: "Folders",
    method: "POST",
    path: "/folders",
    access: "files_write",
    input: z.object({ name, parentId: described(z.uuid().nullish(), "Parent folder; default: none", FOLDER_ID) }),
    envelope: "data",
    output: folder,
    errors: { 404: "The parent folder is unknown or not yours" },
  }),
  changeFolder: defineOperation({
    summary: "Rename or move a folder",
    tag: "Folders",
    method: "PATCH",
    path: "/folders/{id}",
    access: "files_write",
    needsOneOf: ["name", "parentId"],
    input: z.object({
      id: folderId,
      name: name.optional(),
      parentId: described(z.uuid().nullish(), "New parent folder; null: none", FOLDER_ID),
    }),
    envelope: "data",
    output: folder,
    errors: { 404: "The folder or its new parent is unknown or not yours", 409: "The folder would be inside itself" },
  }),
  deleteFolder: defineOperation({
    summary: "Delete an empty folder",
    tag: "Folders",
    method: "DELETE",
    path: "/folders/{id}",
    access: "files_write",
    input: z.object({ id: folderId }),
    envelope: "data",
    output: z.object({ id: folderId }),
    errors: { 404: "Unknown or not yours", 409: "The folder is not empty" },
  }),
} as const;

const fileStatus = described(
  z.enum(["active", "expired", "deleted", "dmca_removed"]),
  "Only an active file can be downloaded; dmca_removed: taken down by the administrator",
  "active",
);

/** A file as its owner sees it (listing, "Files"). */
export const fileItem = uploadResult
  .omit({ claimToken: true, deletionToken: true, unlockCode: true, handoffUrl: true, idempotent: true })
  .extend({
    downloads: described(z.int(), "Number of downloads", 3),
    folderId: described(z.string().nullable(), "Parent folder; null: none"),
    visibility: described(
      z.enum(["private", "unlisted", "public"]),
      "private: only its owner can open the share, such as files received by a request; public: the share is on its owner's public page",
      "unlisted",
    ),
    requestId: described(z.string().nullable(), "The request that the file was sent to; null: none"),
    unlockRequired: described(z.boolean(), "Whether a download requires an unlock code or a handoff link", false),
    status: fileStatus,
    failureReason,
    immutable: described(z.boolean(), "Whether its settings, name and deletion are blocked", false),
    thumbnailUrl: described(
      z.url().nullable(),
      "Signed URL of its thumbnail; null without one",
      "https://files.example.org/thumb/5hQ2vR8kLm3xTz0B?e=t5k2c0&s=Zm9v",
    ),
  })
  .meta({ id: "FileItem", description: "A file as its owner sees it" });
export type FileItem = z.infer<typeof fileItem>;

const run = z.object({
  runId: described(z.string(), "The run", "build-42"),
  artifacts: described(z.array(fileItem), "Its files, newest first"),
});

/** Files or folders that one call changes (folders, "Moving and renaming files"). */
const MAX_IDS = 1000;
const ids = (description: string, example: string) =>
  z
    .array(text(36).min(1))
    .max(MAX_IDS, `give at most ${MAX_IDS} IDs`)
    .meta({ description, examples: [[example]] });
const fileIds = ids(`IDs of files, at most ${MAX_IDS}`, "5hQ2vR8kLm3xTz0B");
/** A change of this many files counts as one request. */
const IDS_PER_REQUEST = 100;
const targetFolder = z.uuid().nullable();

export const organizingContract = {
  changeFile: defineOperation({
    summary: "Rename a file, or move it to a folder",
    description: "A new name is also that of its downloads and its share. An immutable file cannot be renamed.",
    tag: "Files",
    method: "PATCH",
    path: "/files/{fileId}/details",
    access: "files_write",
    needsOneOf: ["name", "folderId"],
    input: z.object({
      fileId,
      name: described(fileNameInput.min(1, "give a name").optional(), "Its new name", "report-2.pdf"),
      folderId: described(targetFolder.optional(), "The folder; null: none", FOLDER_ID),
    }),
    envelope: "data",
    output: fileItem,
    errors: { 404: "The file or folder is unknown or not yours", 409: "Immutable" },
  }),
  moveFiles: defineOperation({
    summary: "Move files and folders to a folder",
    description: "All of them, or none if one is unknown or a folder would be inside itself.",
    tag: "Files",
    method: "POST",
    path: "/files/move",
    access: "files_write",
    requests: ({ fileIds }) => Math.ceil((fileIds?.length ?? 0) / IDS_PER_REQUEST),
    input: z.object({
      fileIds: fileIds.optional(),
      folderIds: ids(`IDs of folders, at most ${MAX_IDS}`, "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8f").optional(),
      folderId: described(targetFolder, "The folder to move to; null: none", FOLDER_ID),
    }),
    envelope: "data",
    output: z.object({
      files: described(z.int(), "Number of files that were moved", 1),
      folders: described(z.int(), "Number of folders that were moved", 0),
    }),
    errors: { 404: "A file or folder is unknown or not yours", 409: "A folder would be inside itself" },
  }),
  deleteFiles: defineOperation({
    summary: "Delete files permanently",
    description: "Each file is deleted or refused by itself. A file that is deleted already counts as deleted.",
    tag: "Files",
    method: "POST",
    path: "/files/delete-many",
    access: "files_write",
    requests: ({ fileIds }) => Math.ceil(fileIds.length / IDS_PER_REQUEST),
    input: z.object({
      fileIds: fileIds.min(1, "give at least one ID"),
      force: flag.optional().meta({ description: "Delete files even if they are immutable or other files were made from them" }),
    }),
    envelope: "data",
    output: z.object({
      deleted: described(z.array(fileId), "The IDs of the files that are deleted"),
      refused: described(
        z.array(
          z.object({
            id: fileId,
            errorCode: described(z.string(), "The error's code", "IMMUTABLE"),
            error: described(z.string(), "Why it was not deleted, in a sentence", "This file is immutable."),
          }),
        ),
        "Those that are not, with the reason",
      ),
    }),
    errors: {},
  }),
} as const;

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
    filecode: described(z.string(), "The requested code", "7kXq9Zab"),
    name: described(z.string(), "Name of the file; empty if it is deleted", "report.pdf"),
    size: described(z.string(), "Size in bytes, as a string", "48213"),
    uploaded: plainTime("When it was uploaded"),
    download: described(z.string(), "Number of downloads, as a string", "3"),
    status_field: fileStatus,
    unlockRequired: described(z.boolean(), "Whether a download requires an unlock code or a handoff link", false),
    paymentRequired: described(z.boolean(), "Whether a download requires a payment", false),
    priceCents: described(z.int().nullable(), "Price in US cents; null: none"),
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

/** The most codes in one `GET /files/info` (listing, "File info"). */
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
    input: z.object({
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
    output: z.union([
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
    input: z.object({ folderId: listedFolder, search }),
    envelope: "data",
    output: z.object({ ids: described(z.array(fileId), "The IDs of the files") }),
    errors: { 404: "The folder is unknown or not yours" },
  }),
  listRun: defineOperation({
    summary: "List the files of a run",
    tag: "Listing",
    method: "GET",
    isCompressed: true,
    path: "/files/run/{runId}",
    access: "files_read",
    input: z.object({
      runId: text(120)
        .min(1)
        .transform((value) => value.replaceAll("\0", ""))
        .meta({ description: "The run's ID, as sent with its files", examples: ["build-42"] }),
      limit: limit("Items in the list: 1 to 500; default: 100"),
    }),
    envelope: "data",
    output: run,
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
        .meta({ description: `Short codes, separated by commas; at most ${MAX_FILE_CODES}`, examples: ["7kXq9Zab"] }),
    }),
    output: z.object({
      msg: described(z.string(), "OK", "OK"),
      server_time: plainTime("Time of the server"),
      status: described(z.literal(200), "Always 200; each item has its own status"),
      result: described(z.array(infoItem), "One item for each code, in the order of the codes"),
    }),
    errors: {},
  }),
} as const;
