import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit, listOf } from "../../contract/paging.ts";
import {
  dateTime,
  described,
  EXAMPLE_SHA256,
  emailVerified,
  encrypted,
  failureReason,
  fileId,
  flag,
  scanStatus,
  shortId,
  storedText,
  text,
} from "../../contract/scalars.ts";
import { IDS_PER_REQUEST, refusedFiles, severalFiles } from "../files/contract.ts";
import { blockFields, listedPlaces, otherPlaces, publicReason, restoredPlaces } from "./contract.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";
const TIME = "2030-01-30T12:00:00Z";

/** Filters of the list of files, by the possible actions. */
export const ADMIN_FILE_STATES = ["ready", "waiting", "blocked", "taken_down", "expired"] as const;
export const ADMIN_FILE_SORTS = ["created", "size"] as const;

export const fileOwner = described(
  z
    .object({
      id: described(z.string(), "The account's ID, a UUID", ID),
      email: described(z.string().nullable(), "Its email address; null: it was deleted", "ada@example.org"),
      emailVerified,
    })
    .nullable(),
  "The account that it belongs to; null: it was sent without one",
);

/** A file as an administrator sees it, without its bytes. */
export const adminFile = z
  .object({
    id: fileId,
    shortId,
    name: described(z.string(), "Its name; empty if it was deleted", "report.pdf"),
    sizeBytes: described(z.int(), "Its size in bytes", 48_213),
    contentType: described(z.string(), "Its media type", "application/pdf"),
    sha256: described(z.string().nullable(), "Its SHA-256; null until known", EXAMPLE_SHA256),
    status: described(z.enum(["active", "expired", "deleted", "dmca_removed"]), "dmca_removed: an administrator took it down", "active"),
    isUsedUp: described(z.boolean(), "Whether it expired because its last download was counted", false),
    isUploading: described(z.boolean(), "Whether its bytes are still arriving", false),
    scanStatus,
    failureReason,
    scanDetail: described(z.string().nullable(), "What the scanner or the server says about it", "Eicar-Test-Signature"),
    isBlocklisted: described(z.boolean(), "Whether it is blocked because its SHA-256 is on the blocklist", false),
    encrypted,
    owner: fileOwner,
    downloads: described(z.int(), "Counted downloads", 2),
    createdAt: described(dateTime, "When it was complete", TIME),
    expiresAt: described(dateTime.nullable(), "When its share expires; null: never"),
    isOpen: described(z.boolean(), "Whether anybody with the share link can download it, without a code", true),
    otherPlaces: otherPlaces("Its places in other shares, at most 20; a takedown takes them down too"),
    otherPlaceCount: described(z.int(), "Number of its places in other shares", 0),
    hasBytes: described(z.boolean(), "Whether its bytes are stored, if only in quarantine", true),
  })
  .meta({ id: "AdminFile", description: "A file as an administrator sees it" });

export type AdminFileView = z.infer<typeof adminFile>;

const UNKNOWN = "There is no such file";

/** Maximum number of files in one decision: the length of the longest list. */
export const MAX_DECIDED_FILES = 200;
const fileIds = severalFiles(MAX_DECIDED_FILES);
const requests = ({ fileIds }: { readonly fileIds: readonly string[] }) => Math.ceil(fileIds.length / IDS_PER_REQUEST);
const EACH = "Each file is changed or refused independently of the others.";

const named = { id: fileId, shortId, name: described(z.string(), "Its name", "report.pdf") };
const namedFile = z.object(named);
const takenDownFile = z.object({
  ...named,
  ...listedPlaces("Its places in other shares, which are taken down with it"),
  bytesUntil: described(dateTime, "When the bytes are removed", "2030-02-06T12:00:00Z"),
});

const restoredFile = z.object({
  ...named,
  isBack: described(z.boolean(), "Whether it is; false: it had expired before, or another takedown blocks it", true),
  ...restoredPlaces,
});

const takedownOptions = {
  block: described(flag.optional(), "Whether to add the SHA-256 to the blocklist", false),
  reason: described(storedText(1000).nullish(), "With block: a note for the administrators", "Court order 12/26"),
  publicReason,
};

/** administration, "Files". */
export const adminFilesContract = {
  listAllFiles: defineOperation({
    summary: "List the files of the server",
    description: "Those of all accounts and those without one; unfinished uploads and deleted files are not listed.",
    tag: "Administration",
    method: "GET",
    path: "/admin/files",
    access: "admin",
    isCompressed: true,
    input: () =>
      z.object({
        search: described(text(300).optional(), "Words of the name, or an ID, a short ID, a share link or a SHA-256", "report"),
        owner: described(
          text(254).optional(),
          "Only of this account: its ID, email address or username; `anonymous`: of nobody",
          "ada@example.org",
        ),
        state: described(
          z.enum(ADMIN_FILE_STATES).optional(),
          "ready: can be downloaded; waiting: for the scan; blocked: by the scan, the blocklist or a wrong digest; default: all",
          "blocked",
        ),
        sort: described(z.enum(ADMIN_FILE_SORTS).optional(), "created (default) or size", "created"),
        order: described(z.enum(["asc", "desc"]).optional(), "Default: desc, the newest or the largest first", "desc"),
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor: z
          .string()
          .regex(/^\d{1,15}_[0-9A-Za-z]{1,40}$/, "give the `nextCursor` of the previous response")
          .optional()
          .meta({ description: "The `nextCursor` of the previous response", examples: ["1926590400000_5hQ2vR8kLm3xTz0B"] }),
      }),
    output: () =>
      listOf(adminFile).extend({
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: { 409: "Several accounts have the address of `owner`, and none of them has verified it; the message names their IDs" },
  }),
  rescanFile: defineOperation({
    summary: "Scan a file again",
    description: "It cannot be downloaded until the scan passes. Send no body.",
    tag: "Administration",
    method: "POST",
    path: "/admin/files/{fileId}/rescan",
    access: "admin",
    body: "query",
    repeatable: true,
    input: () => z.object({ fileId }),
    envelope: "data",
    output: () => namedFile,
    errors: { 404: UNKNOWN, 409: "It cannot be scanned now; the message says why" },
  }),
  takeDownFile: defineOperation({
    summary: "Take one file down",
    description:
      "The other files of its share stay; its places in other shares are taken down too. The bytes are kept in quarantine for some days; until then it can be restored.",
    tag: "Administration",
    method: "POST",
    path: "/admin/files/{fileId}/takedown",
    access: "admin",
    input: () => z.object({ fileId, ...takedownOptions }),
    envelope: "data",
    output: () => takenDownFile.extend(blockFields),
    errors: { 404: UNKNOWN, 409: "It was already taken down" },
  }),
  restoreFile: defineOperation({
    summary: "Bring a file back that was taken down",
    tag: "Administration",
    method: "POST",
    path: "/admin/files/{fileId}/restore",
    access: "admin",
    body: "query",
    input: () => z.object({ fileId }),
    envelope: "data",
    output: () => restoredFile,
    errors: {
      404: UNKNOWN,
      409: "It was not taken down, the takedown of another share blocks it too, or nothing of it can be brought back",
    },
  }),
  rescanFiles: defineOperation({
    summary: "Scan several files again",
    description: `${EACH} They cannot be downloaded until the scan passes.`,
    tag: "Administration",
    method: "POST",
    path: "/admin/files/rescan",
    access: "admin",
    repeatable: true,
    waits: true,
    requests,
    input: () => z.object({ fileIds }),
    envelope: "data",
    output: () =>
      z.object({
        queued: described(z.array(namedFile), "Those that wait for a new scan"),
        refused: refusedFiles({ errorCode: "CONFLICT", error: "The file cannot be scanned again: it has expired or was deleted." }),
      }),
    errors: {},
  }),
  takeDownFiles: defineOperation({
    summary: "Take several files down",
    description: `${EACH} The bytes are kept in quarantine for some days; until then they can be restored.`,
    tag: "Administration",
    method: "POST",
    path: "/admin/files/takedown",
    access: "admin",
    requests,
    input: () => z.object({ fileIds, ...takedownOptions }),
    envelope: "data",
    output: () =>
      z.object({
        takenDown: described(z.array(takenDownFile), "Those that are taken down"),
        refused: refusedFiles({ errorCode: "CONFLICT", error: "The file was already taken down. Nothing was changed." }),
        ...blockFields,
      }),
    errors: {},
  }),
  restoreFiles: defineOperation({
    summary: "Bring several files back that were taken down",
    description: EACH,
    tag: "Administration",
    method: "POST",
    path: "/admin/files/restore",
    access: "admin",
    requests,
    input: () => z.object({ fileIds }),
    envelope: "data",
    output: () =>
      z.object({
        restored: described(z.array(restoredFile), "Those whose takedown is undone"),
        refused: refusedFiles({ errorCode: "CONFLICT", error: "The file was not taken down. Nothing was changed." }),
      }),
    errors: {},
  }),
} as const;
