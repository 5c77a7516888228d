import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import {
  dateTime,
  described,
  EXAMPLE_SHA256,
  encrypted,
  failureReason,
  fileId,
  fileNameInput,
  flag,
  protectionCredentials,
  scanStatus,
  shortId,
  text,
  unlockKind,
} from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { webUrl } from "../../contract/web-url.ts";
import { linkedRecipients, publishFields } from "../shares/contract.ts";
import { FOLDER_ID } from "./folders-contract.ts";

/** The result of an upload (model, "The upload response"). */
export const uploadResult = z
  .object({
    id: fileId,
    shortId,
    shortCode: described(z.string(), "The same as shortId", "7kXq9Zab"),
    shareUrl: described(webUrl, "URL of the share, to send to recipients", "https://files.example.org/d/7kXq9Zab"),
    sharePath: described(z.string(), "Path of the share link", "/d/7kXq9Zab"),
    url: described(
      secret(webUrl),
      "Signed URL for the uploader, valid for 24 hours; it works after the malware scan. For the sender of a file to a request, its shareUrl",
      "https://files.example.org/dl/5hQ2vR8kLm3xTz0B/report.pdf?p=u&e=t5k2c0&s=Zm9v",
    ),
    name: described(z.string(), "Name of the file", "report.pdf"),
    size: described(z.int(), "Bytes", 48_213),
    mimeType: described(z.string(), "Media type, detected from the bytes if possible", "application/pdf"),
    encrypted,
    sha256: described(z.string().nullable(), "SHA-256, hexadecimal; null until it is known", EXAMPLE_SHA256),
    createdAt: described(dateTime, "When the file was complete", "2030-01-30T12:00:00Z"),
    expiresAt: described(dateTime.nullable(), "When the share expires; null: never", "2030-01-31T12:00:00Z"),
    isAnonymous: described(z.boolean(), "Whether it was uploaded without a key", true),
    runId: described(z.string().nullable(), "The run that the file belongs to", "build-42"),
    scanStatus,
    claimToken: described(secret(z.string().optional()), "Claims or protects an anonymous upload; shown once", "claim_8sY2kQ"),
    deletionToken: described(
      secret(z.string().optional()),
      "Deletes an anonymous upload, or removes one that was sent to a request; shown once",
      "del_4tR9wZ",
    ),
    ...protectionCredentials,
    idempotent: described(
      z.boolean().optional(),
      "true if this response repeats that of an earlier request with the same Idempotency-Key",
      true,
    ),
    secretsWithheld: described(
      z.boolean().optional(),
      "true if a repeated response has no secrets, because another key, session or application of the account made it",
      true,
    ),
  })
  .meta({ id: "Upload", description: "An uploaded or imported file" });
export type UploadResult = z.infer<typeof uploadResult>;

export const fileStatus = described(
  z.enum(["active", "expired", "deleted", "dmca_removed"]),
  "Only an active file can be downloaded; dmca_removed: taken down by the administrator",
  "active",
);

/** A link of a file: one of its places (model, "Places"). */
export const fileLink = z.object({
  id: described(z.string(), "The ID that the file has in this share", "5hQ2vR8kLm3xTz0B"),
  shortId,
  shareUrl: described(webUrl, "URL of the share", "https://files.example.org/d/7kXq9Zab"),
  sharePath: described(z.string(), "Path of the share link", "/d/7kXq9Zab"),
  title: described(z.string().nullable(), "Title of the share", "Slides for Monday"),
});

/** A file as its owner sees it (listing, "Files"). */
export const fileItem = uploadResult
  .omit({ claimToken: true, deletionToken: true, unlockCode: true, handoffUrl: true, idempotent: true, secretsWithheld: true })
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
    unlockKind,
    status: fileStatus,
    failureReason,
    scanned: described(z.boolean().default(false), "false if no scanner has read it: a server without one shares files unscanned", true),
    isBlocklisted: described(z.boolean(), "Whether it is blocked because the administrator does not allow files with its SHA-256", false),
    immutable: described(z.boolean(), "Whether its settings, name and deletion are blocked", false),
    linkCount: described(z.int(), "Number of its links: the open shares that it is in", 1),
    links: described(z.array(fileLink), "Its links, the oldest first, at most 20"),
    thumbnailUrl: described(
      secret(webUrl.nullable()),
      "Signed URL of its thumbnail; null without one",
      "https://files.example.org/thumb/5hQ2vR8kLm3xTz0B?e=t5k2c0&s=Zm9v",
    ),
  })
  .meta({ id: "FileItem", description: "A file as its owner sees it" });
export type FileItem = z.infer<typeof fileItem>;

/** Maximum number of files or folders that one call changes (folders, "Moving and renaming files"). */
const MAX_IDS = 1000;
/** Maximum number of files of one preview: the files that one list has. */
const MAX_PREVIEWED = 10_000;
const ids = (description: string, example: string, max = MAX_IDS) =>
  z
    .array(text(36).min(1))
    .max(max, `give at most ${max} IDs`)
    .meta({ description, examples: [[example]] });
const FILE_ID = "5hQ2vR8kLm3xTz0B";
const fileIds = ids(`IDs of files, at most ${MAX_IDS}`, FILE_ID);
/** Number of changed files that count as one request. */
export const IDS_PER_REQUEST = 100;
/** Files that one call changes independently of each other. */
export const severalFiles = (max: number) => ids(`IDs of files, at most ${max}`, FILE_ID, max).min(1, "give at least one ID");
/** Returns the files of a call that were not changed. */
export const refusedFiles = (example: { readonly errorCode: string; readonly error: string }) =>
  described(
    z.array(
      z.object({
        id: fileId,
        errorCode: described(z.string(), "The error's code", example.errorCode),
        error: described(z.string(), "Why it was not changed, in a sentence", example.error),
        buyers: described(z.int().optional(), "HAS_BUYERS: how many would lose what they bought", 3),
      }),
    ),
    "Those that were not changed, with the reason",
  );
const targetFolder = z.uuid().nullable();

const allLinks = flag.optional().meta({
  description:
    "Delete the file in all shares that it is in, or in none: all its links stop working. Default: only the place that the ID names",
});

/** Chosen files, and folders with all files in them (folders, "Choosing files"). */
export const chosenFiles = {
  fileIds: fileIds.optional(),
  folderIds: ids(`IDs of folders, at most ${MAX_IDS}; with the files in them, at every depth`, FOLDER_ID).optional(),
};

/** A share that was made of files of the account. */
const newShare = z.object({
  shortId,
  shareUrl: described(webUrl, "URL of the share, to send to recipients", "https://files.example.org/d/7kXq9Zab"),
  sharePath: described(z.string(), "Path of the share link", "/d/7kXq9Zab"),
  ...protectionCredentials,
  expiresAt: described(dateTime.nullable(), "When the share expires; null: never", "2030-01-31T12:00:00Z"),
});

const { runId: _run, openShare: _open, shareShortId: joined, shareToken: _token, ...notOfFiles } = publishFields;
const {
  folderId: _folder,
  relativePath: _path,
  modifiedAt: _modified,
  executable: _executable,
  requestToken: _request,
  senderName: _name,
  senderNote: _note,
  ...shareSettings
} = notOfFiles;

export const filesContract = {
  changeFile: defineOperation({
    summary: "Rename a file, or move it to a folder",
    description:
      "A new name is the one in the owner's lists, and in shares that the file gets later. Links that it has already keep their names.",
    tag: "Files",
    method: "PATCH",
    path: "/files/{fileId}/details",
    access: "files_write",
    needsOneOf: ["name", "folderId"],
    input: () =>
      z.object({
        fileId,
        name: described(fileNameInput.min(1, "give a name").optional(), "Its new name", "report-2.pdf"),
        folderId: described(targetFolder.optional(), "The folder; null: none", FOLDER_ID),
      }),
    envelope: "data",
    output: () => fileItem,
    errors: { 404: "The file or folder is unknown or not yours" },
  }),
  moveFiles: defineOperation({
    summary: "Move files and folders to a folder",
    description: "All of them, or none if one is unknown or a folder would be inside itself.",
    tag: "Files",
    method: "POST",
    path: "/files/move",
    access: "files_write",
    requests: ({ fileIds }) => Math.ceil((fileIds?.length ?? 0) / IDS_PER_REQUEST),
    input: () =>
      z.object({
        fileIds: fileIds.optional(),
        folderIds: ids(`IDs of folders, at most ${MAX_IDS}`, "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8f").optional(),
        folderId: described(targetFolder, "The folder to move to; null: none", FOLDER_ID),
      }),
    envelope: "data",
    output: () =>
      z.object({
        files: described(z.int(), "Number of files that were moved", 1),
        folders: described(z.int(), "Number of folders that were moved", 0),
        from: described(
          z.array(
            z.object({
              folderId: described(z.string().nullable(), "The folder; null: none", FOLDER_ID),
              fileIds: described(z.array(fileId), "The IDs of the files that were in it"),
              folderIds: described(z.array(z.string()), "The IDs of the folders that were in it"),
            }),
          ),
          "Where they were before. Moving them there undoes the move",
        ),
      }),
    errors: { 404: "A file or folder is unknown or not yours", 409: "A folder would be inside itself" },
  }),
  deleteFiles: defineOperation({
    summary: "Delete files and folders permanently",
    description:
      "Each file is deleted or refused separately, and each folder with everything in it. A file that is deleted already counts as deleted.",
    tag: "Files",
    method: "POST",
    path: "/files/delete-many",
    access: "files_write",
    needsOneOf: ["fileIds", "folderIds"],
    requests: ({ fileIds = [], folderIds = [] }) => Math.ceil((fileIds.length + folderIds.length) / IDS_PER_REQUEST),
    input: () =>
      z.object({
        fileIds: severalFiles(MAX_IDS).optional(),
        folderIds: ids(
          `IDs of folders, at most ${MAX_IDS}; with the folders and files in them, at every depth, each file in all shares that it is in`,
          FOLDER_ID,
        ).optional(),
        force: flag
          .optional()
          .meta({ description: "Delete files even if they are immutable, other files were made from them, or they have buyers" }),
        allLinks,
      }),
    envelope: "data",
    output: () =>
      z.object({
        deleted: described(z.array(fileId), "The IDs of the files and folders that are deleted"),
        refused: refusedFiles({ errorCode: "IMMUTABLE", error: "This file is immutable." }),
      }),
    errors: {},
  }),
  previewDeletion: defineOperation({
    summary: "Preview a deletion",
    description: "Returns which links stop working or lose files if files and folders are deleted with `allLinks`. Nothing is changed.",
    tag: "Files",
    method: "POST",
    path: "/files/delete-many/preview",
    access: "files_read",
    repeatable: true,
    needsOneOf: ["fileIds", "folderIds"],
    requests: ({ fileIds = [], folderIds = [] }) => Math.ceil((fileIds.length + folderIds.length) / IDS_PER_REQUEST),
    input: () =>
      z.object({
        fileIds: severalFiles(MAX_PREVIEWED).optional(),
        folderIds: ids(`IDs of folders, at most ${MAX_IDS}; with everything in them`, FOLDER_ID).optional(),
      }),
    envelope: "data",
    output: () =>
      z.object({
        filesInside: described(z.int(), "Number of files in the folders", 12),
        ending: described(z.int(), "Number of links that stop working", 1),
        shrinking: described(z.int(), "Number of links that lose files and keep others", 0),
        links: described(
          z.array(
            z.object({
              shortId,
              shareUrl: described(webUrl, "URL of the share", "https://files.example.org/d/7kXq9Zab"),
              sharePath: described(z.string(), "Path of the share link", "/d/7kXq9Zab"),
              title: described(z.string().nullable(), "Title of the share", "Trip to Rome"),
              name: described(z.string(), "Name of its first file in natural order", "walk.jpg"),
              folder: described(z.string().nullable(), "The folder that all its files are in; null: none", "Trip"),
              files: described(z.int(), "Number of its files", 6),
              encrypted: described(z.boolean(), "Whether one of its files is encrypted", false),
              visibility: described(z.enum(["unlisted", "public"]), "public: it is on its owner's public page", "unlisted"),
              recipients: described(linkedRecipients.nullable(), "Who has private links from a mail; null: nobody"),
              remaining: described(z.int(), "Number of its files that stay; 0: the link stops working", 0),
            }),
          ),
          "These links, first those that stop working, and those sent by mail, at most 20",
        ),
      }),
    errors: {},
  }),
  shareFiles: defineOperation({
    summary: "Share files and folders with one link",
    description:
      "The files get a new share: one file, or a shipment with the folders; with `shareShortId` they are added to a shipment. Links that they have already stay as they are, unless `move` takes the files out of them.",
    tag: "Files",
    method: "POST",
    path: "/files/share",
    access: "files_write",
    needsOneOf: ["fileIds", "folderIds"],
    input: () =>
      z.object({
        ...chosenFiles,
        move: flag.optional().meta({
          description:
            "Take the files out of the shares that the given IDs are in. A share without a file left ends, and its link stops working",
        }),
        force: flag.optional().meta({ description: "Move them even if buyers have not downloaded what they paid for" }),
        shareShortId: joined.meta({
          description:
            "The short ID of a shipment of the account, which gets the files in place of a new share. Not together with `move` and settings",
        }),
        ...shareSettings,
      }),
    example: { fileIds: ["5hQ2vR8kLm3xTz0B"] },
    envelope: "data",
    output: () => newShare,
    errors: {
      404: "A file, folder or shipment is unknown or not yours",
      409: "With `move`, a file is immutable or has buyers (`HAS_BUYERS`); its bytes are removed; or the shipment has expired",
      413: "The account's storage, or the shipment, has no room for the files",
    },
  }),
  shareAgain: defineOperation({
    summary: "Share the files of an ended share again, with a new link",
    description:
      "The files that the account still has get a new share with the settings of the ended one; its expiry is the default, and it has no alias. The ended share stays ended.",
    tag: "Shares",
    method: "POST",
    path: "/shares/{shortId}/share-again",
    access: "files_write",
    input: () => z.object({ shortId }),
    envelope: "data",
    output: () => newShare,
    errors: {
      404: "Unknown or not yours",
      409: "It has not ended, is taken down, or its files were removed; or it has a price and the account cannot sell (`SELLER_NOT_READY`)",
      413: "The account's storage has no room for the files",
    },
  }),
  removeFromList: defineOperation({
    summary: "Remove an ended share from the list of ended shares",
    description: "Nothing else changes.",
    tag: "Shares",
    method: "POST",
    path: "/shares/{shortId}/remove-from-list",
    access: "files_write",
    input: () => z.object({ shortId }),
    envelope: "data",
    output: () => z.object({ shortId }),
    errors: { 404: "Unknown or not yours", 409: "It has not ended, or is taken down" },
  }),
  deleteFile: defineOperation({
    summary: "Delete a file or a shipment permanently",
    description:
      "Send the owner's key or, for an anonymous upload, its deletion token. A shipment's short ID deletes all its files. Other links of the files stay, unless `allLinks` is true.",
    tag: "Files",
    method: "DELETE",
    path: "/files/delete",
    access: "optional",
    input: () =>
      z.object({
        fileId: described(z.string().min(1), "The file's ID, or the short ID of a shipment", "5hQ2vR8kLm3xTz0B"),
        token: described(z.string().min(1).optional(), "The deletion token of an anonymous upload or shipment", "del_4tR9wZ"),
        force: flag
          .optional()
          .meta({ description: "Owner only: delete the file even if it is immutable, other files were made from it, or it has buyers" }),
        allLinks,
      }),
    envelope: "data",
    output: () =>
      z.object({
        id: described(z.string(), "The ID that was sent", "5hQ2vR8kLm3xTz0B"),
        remainingLinks: described(z.int(), "Number of places in other shares that the deleted files still have", 0),
      }),
    errors: {
      401: "The file belongs to an account, and no credential was sent",
      403: "Wrong token",
      404: "Unknown or not yours",
      409: "Immutable, or with buyers (`HAS_BUYERS`)",
    },
  }),
} as const;
