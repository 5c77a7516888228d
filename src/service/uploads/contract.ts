import { z } from "zod";
import { errorBody } from "../../contract/error-fields.ts";
import { defineOperation } from "../../contract/operation.ts";
import {
  batchFiles,
  bufferedFile,
  dateTime,
  described,
  EXAMPLE_SHA256,
  fileId,
  fileNameInput,
  PART_SIZE,
  sha256Hex,
  shortId,
  text,
} from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { webUrl } from "../../contract/web-url.ts";
import { uploadResult } from "../files/contract.ts";
import { publishFields } from "../shares/contract.ts";

/** The number of parts of an upload; 0 for an empty file. */
export const totalParts = z.int().min(0).max(PART_SIZE.maxParts);

/** Input fields of the operations that return signed URLs for parts. */
export const partUrlFields = {
  totalParts: described(totalParts.optional(), "Number of parts; optional, because the session has it", 2),
  partDigests: z
    .record(z.string().regex(/^[1-9]\d{0,4}$/, "name parts by their numbers, starting with 1"), sha256Hex)
    .refine((digests) => Object.keys(digests).length > 0, "name at least one part")
    .meta({ description: "Part number → SHA-256 of the part, hexadecimal", minProperties: 1, examples: [{ "1": EXAMPLE_SHA256 }] }),
};

export const partUrls = z.object({
  success: z.literal(true),
  urls: described(secret(z.record(z.string(), webUrl)), "Part number → signed URL for the PUT of the part", {
    "1": `https://files.example.org/up/mQ4vX2/1?d=${EXAMPLE_SHA256}&e=t5k2c0&s=Zm9v`,
  }),
  expiresAt: described(dateTime, "When the URLs expire", "2030-01-31T12:00:00Z"),
});

export const partNumber = described(z.int().min(1).max(PART_SIZE.maxParts), "Number of the part, from 1", 1);

const namedPart = z.object({ partNumber, etag: described(text(200), "The ETag from the response to the part's PUT", '"9b2c"') });

/** Input fields of the operations that complete a multipart upload. */
export const completionFields = {
  parts: described(z.array(namedPart).max(PART_SIZE.maxParts).nullish(), "The uploaded parts; optional, because the session has them", [
    { partNumber: 1, etag: '"9b2c"' },
  ]),
  fileName: described(fileNameInput.nullish(), "The file's name; replaces the one sent before", "report.pdf"),
  fileSize: described(z.int().min(0).nullish(), "Size in bytes; must equal the size sent before", 20_000_000),
  contentType: described(text(200).nullish(), "Media type, used if the bytes do not show it", "application/pdf"),
};

const uploadId = described(z.string().min(1), "Secret ID of the upload session: anyone who has it can continue the upload", "Tq8vR2xYb7");
const key = described(text(200).optional(), "Public name of the session", "mQ4vX2");
const uploadSessionToken = described(text(500).optional(), "Ignored; accepted for compatibility", "");

/** A multipart upload's session (uploads, "Uploads in parts"). */
const uploadSession = z.object({
  uploadId: secret(uploadId),
  key: described(z.string(), "Public name of the session", "mQ4vX2"),
  chunkSize: described(z.int().min(1), "Bytes of each part except the last", 16_777_216),
  totalParts: described(totalParts, "Number of parts; 0 for an empty file", 2),
  fileId,
  shortId: described(shortId, "The share's short ID; for an upload that joins a shipment, the shipment's", "7kXq9Zab"),
  shareUrl: described(webUrl, "The share link; it works from now on", "https://files.example.org/d/7kXq9Zab"),
  expiresAt: described(dateTime, "When the upload expires unless it is completed", "2030-01-31T12:00:00Z"),
});

const uploadedPart = z.object({
  partNumber,
  size: described(z.int(), "Bytes", 16_777_216),
  sha256: described(z.string(), "SHA-256 of the part, hexadecimal", EXAMPLE_SHA256),
  etag: described(z.string(), "The ETag from the response to the part's PUT", '"9b2c"'),
});

const batchPath = described(z.string(), "Path of the file in the shipment", "docs/report.pdf");
const batchError = errorBody
  .omit({ success: true })
  .extend({ relativePath: described(z.string(), "Path of the file, as sent, cut to 1,024 characters", "docs/report.pdf") })
  .meta({ id: "BatchError", description: "Why a file of a batch is not stored" });
const batchResult = uploadResult
  .extend({
    url: uploadResult.shape.url
      .nullable()
      .meta({ description: "As of an upload; null if the shipment had the file already and is not the caller's" }),
    relativePath: batchPath,
  })
  .meta({ id: "BatchUpload", description: "A stored file of a batch" });
const batchEntry = z.xor([batchResult, batchError]);
export type BatchEntry = z.infer<typeof batchEntry>;
export type BatchUpload = Omit<z.infer<typeof batchResult>, "relativePath">;

const { shareToken, runId, requestToken } = publishFields;

/** A form has no null, so its text stands for it. */
const formFolderId = described(
  z
    .string()
    .regex(/^(?:null|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/, "give the ID of a folder, or null for no folder")
    .nullish(),
  "With a key: the folder for the files; null: the root; default: the folder of each relativePath",
  "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
);

export const uploadsContract = {
  uploadFile: defineOperation({
    summary: "Upload a file of up to 4 MB",
    tag: "Upload",
    method: "POST",
    path: "/files/upload",
    access: "optional",
    body: "multipart",
    input: () => z.object({ file: bufferedFile, ...publishFields }),
    envelope: "data",
    output: () => uploadResult,
    errors: {
      400: "Invalid input",
      404: "A folder or shipment is unknown or not in the caller's account",
      413: "Larger than 4 MB, or the tier's quota is exceeded",
      507: "The server's disk is full",
    },
  }),
  uploadBatch: defineOperation({
    summary: "Upload many small files to a shipment",
    description:
      "The fields come before the first file. Each file is stored or refused separately, and has an entry in the response, in the order of the " +
      "files. The request can be repeated: a file of the shipment with the same path and SHA-256 is returned, and not stored again.",
    tag: "Upload",
    method: "POST",
    path: "/files/batch",
    access: "optional",
    body: "multipart",
    streams: true,
    input: () =>
      z.object({
        shareShortId: described(text(16).min(4), "The short ID of the shipment that the files join", "7kXq9Zab"),
        shareToken,
        runId,
        folderId: formFolderId,
        requestToken,
        file: batchFiles,
      }),
    // The settings of the shipment apply instead. A password is refused, because its sender would think that it protects the files.
    ignoresFields: Object.keys(publishFields).filter((name) => name !== "password"),
    envelope: "data",
    output: () => z.object({ files: described(z.array(batchEntry), "A result or an error for each file, in order") }),
    errors: {
      400: "Invalid input, or more than 500 files",
      401: "Neither a key nor a share token",
      403: "Wrong share token",
      404: "The folder or shipment is unknown or not in the caller's account",
      409: "The shipment has expired, or its first file is still uploading",
      413: "The shipment is full",
      429: "Too many uploads are running",
    },
  }),
  initMultipart: defineOperation({
    summary: "Start a multipart upload",
    description: "Reserves the storage. The share link works from now on and shows that the file is still uploading.",
    tag: "Multipart upload",
    method: "POST",
    path: "/files/multipart/init",
    access: "optional",
    input: () =>
      z.object({
        fileName: described(fileNameInput, "The file's name", "video.mp4"),
        fileSize: described(z.int().min(0), "Bytes", 20_000_000),
        fileType: described(text(200).nullish(), "Media type, used if the bytes do not show it", "video/mp4"),
        partSize: described(
          z.int().min(PART_SIZE.minBytes).max(PART_SIZE.maxBytes).nullish(),
          "Size of a part in bytes; default: 16 MB",
          16_777_216,
        ),
        sha256: described(
          sha256Hex.nullish(),
          "Expected SHA-256 of the whole file, verified before the file becomes clean",
          EXAMPLE_SHA256,
        ),
        replacesUploadId: described(
          text(500).min(1).nullish(),
          "uploadId of an unfinished upload to replace. The new one keeps its link, file ID and settings",
          "Tq8vR2xYb7",
        ),
        ...publishFields,
      }),
    example: { fileName: "video.mp4", fileSize: 20_000_000, ttl: "24h" },
    envelope: "merged",
    output: () => uploadSession,
    errors: {
      404: "A folder, a shipment or the upload to replace is unknown or not in the caller's account",
      409: "The upload to replace is complete, or being completed",
      413: "The tier's file size or quota is exceeded",
      429: "Too many open uploads",
      507: "The server's disk is full",
    },
  }),
  batchPartUrls: defineOperation({
    summary: "Get signed URLs for parts",
    description: "Each URL is bound to the SHA-256 of its part. Request URLs at any time, for any number of parts.",
    tag: "Multipart upload",
    method: "POST",
    path: "/files/multipart/batch-urls",
    access: "optional",
    repeatable: true,
    input: () =>
      z.object({
        uploadId,
        key,
        ...partUrlFields,
        uploadSessionToken,
      }),
    output: () => partUrls,
    errors: { 400: "A part number is out of range", 404: "Unknown upload", 409: "Already completed with other parts" },
  }),
  getMultipart: defineOperation({
    summary: "List the uploaded parts",
    tag: "Multipart upload",
    method: "GET",
    path: "/files/multipart/{uploadId}",
    access: "optional",
    input: () => z.object({ uploadId }),
    envelope: "data",
    output: () => uploadSession.extend({ parts: described(z.array(uploadedPart), "The uploaded parts, in order") }),
    errors: { 404: "Unknown upload" },
  }),
  completeMultipart: defineOperation({
    summary: "Complete a multipart upload",
    description: "A repeated call within a day returns the same response. Fields sent here override those sent at init.",
    tag: "Multipart upload",
    method: "POST",
    path: "/files/multipart/complete",
    access: "optional",
    input: () =>
      z.object({
        uploadId,
        key,
        ...completionFields,
        uploadSessionToken,
        ...publishFields,
      }),
    envelope: "file",
    output: () => uploadResult,
    errors: {
      400: "Wrong size, or unknown parts",
      404: "The upload, folder or shipment is unknown or not the caller's",
      409: "Parts are missing, or a file with a price would join a shipment (`CONFLICT`)",
      422: "The file does not match the expected SHA-256; the upload stays open",
    },
  }),
  abortMultipart: defineOperation({
    summary: "Abort a multipart upload",
    tag: "Multipart upload",
    method: "POST",
    path: "/files/multipart/abort",
    access: "optional",
    input: () => z.object({ uploadId, key, uploadSessionToken }),
    output: () => z.object({ success: z.literal(true) }),
    errors: { 404: "Unknown upload", 409: "Already completed" },
  }),
} as const;
