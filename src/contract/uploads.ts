import { z } from "zod";
import { uploadResult } from "./files.ts";
import { defineOperation } from "./operation.ts";
import { completionFields, partNumber, partUrlFields, partUrls, totalParts } from "./part-fields.ts";
import { publishFields } from "./publish.ts";
import { dateTime, described, EXAMPLE_SHA256, fileId, PART_SIZE, sentFileName, sha256Hex, shortId, text } from "./scalars.ts";

const uploadId = described(z.string().min(1), "Secret name of the upload session: whoever has it may go on with it", "Tq8vR2xYb7");
const key = described(text(200).optional(), "Public name of the session", "mQ4vX2");
const uploadSessionToken = described(text(500).optional(), "Not needed; taken from clients that send one", "");

/** A multipart upload's session (decisions, "Uploads"). */
const uploadSession = z.object({
  uploadId,
  key: described(z.string(), "Public name of the session", "mQ4vX2"),
  chunkSize: described(z.int().min(1), "Bytes of each part but the last", 16_777_216),
  totalParts: described(totalParts, "How many parts there are; none of an empty file", 2),
  fileId,
  shortId: described(shortId, "The share's short id; of an upload that joins a Shipment, the Shipment's", "7kXq9Zab"),
  shareUrl: described(z.url(), "The share link, which works from now on", "https://files.example.org/d/7kXq9Zab"),
  expiresAt: described(dateTime, "Until when the upload has to be complete", "2030-01-31T12:00:00Z"),
});

const arrivedPart = z.object({
  partNumber,
  size: described(z.int(), "Bytes", 16_777_216),
  sha256: described(z.string(), "SHA-256 of the part, hexadecimal", EXAMPLE_SHA256),
  etag: described(z.string(), "What the part's PUT answered as its ETag", '"9b2c"'),
});

export const uploadsContract = {
  initMultipart: defineOperation({
    summary: "Begin a multipart upload",
    description: "Reserves the space; the share link works from now on and shows that the upload is under way.",
    tag: "Multipart upload",
    method: "POST",
    path: "/files/multipart/init",
    access: "optional",
    input: z.object({
      fileName: described(sentFileName, "The file's name", "video.mp4"),
      fileSize: described(z.int().min(0), "Bytes", 20_000_000),
      fileType: described(text(200).nullish(), "Type of the file, where its bytes do not tell", "video/mp4"),
      partSize: described(z.int().min(PART_SIZE.minBytes).max(PART_SIZE.maxBytes).nullish(), "Bytes, 16 MB by default", 16_777_216),
      sha256: described(sha256Hex.nullish(), "Digest of the whole file, held against it before it becomes clean", EXAMPLE_SHA256),
      ...publishFields,
    }),
    example: { fileName: "video.mp4", fileSize: 20_000_000, ttl: "24h" },
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
    output: z.object({
      success: z.literal(true),
      data: uploadSession.extend({ parts: described(z.array(arrivedPart), "The parts that have arrived, in order") }),
    }),
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
    output: z.object({ success: z.literal(true), file: described(uploadResult, "The same as data"), data: uploadResult }),
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
