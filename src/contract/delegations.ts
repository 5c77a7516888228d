import { z } from "zod";
import { uploadResult } from "./files.ts";
import { defineOperation } from "./operation.ts";
import { completionFields, partUrlFields, partUrls, totalParts } from "./part-fields.ts";
import { publishFields } from "./publish.ts";
import { dateTime, described, EXAMPLE_SHA256, flag, madeProtection, sentFileName, sha256Hex, text } from "./scalars.ts";

const delegationToken = described(text(200).min(1), "What the worker has instead of a key; also taken as a bearer token", "dg_6wN1pK");
/** In place of a key, also where a key would be. */
const tokenInHeader = { field: "delegationToken", prefix: "dg_" } as const;
const uploadId = described(text(200).min(1), "Name of the delegation's upload session", "Tq8vR2xYb7");
const key = described(text(200).optional(), "Public name of the session", "mQ4vX2");

const delegation = z.object({
  delegationId: described(z.uuid(), "The delegation's id", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
  delegationToken: described(z.string(), "What the worker has instead of a key; shown once", "dg_6wN1pK"),
  uploadUrl: described(z.url(), "Takes one PUT of the bytes, and answers as an upload does", "https://files.example.org/de/dg_6wN1pK"),
  uploadId,
  key: described(z.string(), "Public name of the session", "mQ4vX2"),
  chunkSize: described(z.int().min(1), "Bytes of each part but the last, where it is sent in parts", 16_777_216),
  totalParts: described(totalParts.optional(), "How many parts that makes, where sizeBytes was sent", 2),
  expiresAt: described(dateTime, "Until when the upload has to begin", "2030-01-31T12:00:00Z"),
  ...madeProtection,
});

const finished = { success: z.literal(true), file: described(uploadResult, "The same as data"), data: uploadResult };

export const delegationsContract = {
  createDelegation: defineOperation({
    summary: "Let a worker upload one file without a key",
    description: "The file is the key's owner's. The delegation can do nothing else, and dies with the key.",
    tag: "Delegations",
    method: "POST",
    path: "/files/upload-delegations",
    access: "files_write",
    input: z.object({
      name: described(sentFileName.nullish(), "The file's name", "report.pdf"),
      sizeBytes: described(z.int().min(0).nullish(), "Largest size, bytes; also announces the size of an upload in parts", 20_000_000),
      contentType: described(text(200).nullish(), "Type of the file, where its bytes do not tell", "application/pdf"),
      expiresInSeconds: described(z.int().min(60).max(86_400).nullish(), "How long the delegation may be used; 900 by default", 900),
      ...publishFields,
      immutable: described(flag.nullish(), "Whether the file cannot be casually changed or deleted", true),
      upstreamFileIds: described(z.array(text(64).min(1)).max(100).nullish(), "Ids of the files that it was made from", [
        "5hQ2vR8kLm3xTz0B",
      ]),
    }),
    example: { name: "report.pdf", sizeBytes: 20_000_000, expiresInSeconds: 900 },
    output: z.object({ success: z.literal(true), data: delegation }),
    errors: { 404: "A folder, shipment or upstream file that is not the key's owner's", 413: "Past the tier's file size" },
  }),
  batchDelegatedPartUrls: defineOperation({
    summary: "Get addresses to PUT the parts of a delegated upload to",
    tag: "Delegations",
    method: "POST",
    path: "/files/upload-delegations/multipart/batch-urls",
    access: "public",
    tokenInHeader,
    input: z.object({
      delegationToken,
      uploadId,
      key,
      ...partUrlFields,
    }),
    output: partUrls,
    errors: { 404: "Unknown or lapsed", 409: "Already used" },
  }),
  completeDelegatedMultipart: defineOperation({
    summary: "Complete a delegated upload in parts",
    tag: "Delegations",
    method: "POST",
    path: "/files/upload-delegations/multipart/complete",
    access: "public",
    tokenInHeader,
    input: z.object({
      delegationToken,
      uploadId,
      key,
      ...completionFields,
    }),
    output: z.object(finished),
    errors: { 404: "Unknown or lapsed", 409: "Parts missing, or already used" },
  }),
  completeDelegation: defineOperation({
    summary: "See what a delegated upload became",
    description: "Answers the upload's response again.",
    tag: "Delegations",
    method: "POST",
    path: "/files/upload-delegations/complete",
    access: "public",
    tokenInHeader,
    input: z.object({
      delegationToken,
      sha256: described(sha256Hex.nullish(), "Held against the file's, where that is known", EXAMPLE_SHA256),
    }),
    output: z.object(finished),
    errors: { 404: "Unknown or lapsed", 409: "Nothing has been uploaded yet", 422: "The file has another SHA-256" },
  }),
} as const;
