import { z } from "zod";
import { uploadResult } from "./files.ts";
import { defineOperation } from "./operation.ts";
import { completionFields, partNumber, partUrlFields, partUrls } from "./part-fields.ts";
import { publishFields } from "./publish.ts";
import { dateTime, PART_SIZE, sentFileName, sha256Hex, text } from "./scalars.ts";

const uploadId = z.string().min(1).meta({ description: "Secret name of the upload session: whoever has it may go on with it" });
const key = text(200).optional().meta({ description: "Public name of the session" });
const uploadSessionToken = text(500).optional();

/** A multipart upload's session (decisions, "Uploads"). */
const uploadSession = z.object({
  uploadId: z.string(),
  key: z.string(),
  chunkSize: z.int(),
  totalParts: z.int(),
  fileId: z.string(),
  shortId: z.string(),
  shareUrl: z.url(),
  expiresAt: dateTime,
});

const arrivedPart = z.object({ partNumber, size: z.int(), sha256: z.string(), etag: z.string() });

export const uploadsContract = {
  initMultipart: defineOperation({
    summary: "Begin a multipart upload",
    description: "Reserves the space; the share link works from now on and shows that the upload is under way.",
    tag: "Multipart upload",
    method: "POST",
    path: "/files/multipart/init",
    access: "optional",
    input: z.object({
      fileName: sentFileName,
      fileSize: z.int().min(0).meta({ description: "Bytes" }),
      fileType: text(200).nullish(),
      partSize: z.int().min(PART_SIZE.minBytes).max(PART_SIZE.maxBytes).nullish().meta({ description: "Bytes, 16 MB by default" }),
      sha256: sha256Hex.nullish().meta({ description: "Digest of the whole file, held against it before it becomes clean" }),
      ...publishFields,
    }),
    output: uploadSession.extend({ success: z.literal(true), data: uploadSession }),
    errors: {
      404: "A folder or shipment that is not the caller's",
      413: "Past the tier's file size or quota",
      429: "Too many open uploads",
      507: "The server's disk is full",
    },
  }),
  batchPartUrls: defineOperation({
    summary: "Get addresses to PUT parts to",
    description: "Each is bound to the SHA-256 of its part. Ask again at any time, for any number of parts.",
    tag: "Multipart upload",
    method: "POST",
    path: "/files/multipart/batch-urls",
    access: "optional",
    input: z.object({
      uploadId,
      key,
      ...partUrlFields,
      uploadSessionToken,
    }),
    output: partUrls,
    errors: { 400: "A part number out of range", 404: "Unknown upload", 409: "Already completed, with other parts" },
  }),
  getMultipart: defineOperation({
    summary: "See which parts have arrived",
    tag: "Multipart upload",
    method: "GET",
    path: "/files/multipart/{uploadId}",
    access: "optional",
    input: z.object({ uploadId }),
    output: z.object({ success: z.literal(true), data: uploadSession.extend({ parts: z.array(arrivedPart) }) }),
    errors: { 404: "Unknown upload" },
  }),
  completeMultipart: defineOperation({
    summary: "Complete a multipart upload",
    description: "Calling it again within a day gives the same answer. Fields sent here win over those sent at init.",
    tag: "Multipart upload",
    method: "POST",
    path: "/files/multipart/complete",
    access: "optional",
    input: z.object({
      uploadId,
      key,
      ...completionFields,
      uploadSessionToken,
      ...publishFields,
    }),
    output: z.object({ success: z.literal(true), file: uploadResult, data: uploadResult }),
    errors: {
      400: "Wrong size, or parts that are not this upload's",
      404: "Unknown upload, or a folder or shipment that is not the caller's",
      409: "Parts missing",
      422: "The file does not have the SHA-256 that was announced; the upload stays open",
    },
  }),
  abortMultipart: defineOperation({
    summary: "Give up a multipart upload",
    tag: "Multipart upload",
    method: "POST",
    path: "/files/multipart/abort",
    access: "optional",
    input: z.object({ uploadId, key, uploadSessionToken }),
    output: z.object({ success: z.literal(true) }),
    errors: { 404: "Unknown upload", 409: "Already completed" },
  }),
} as const;
