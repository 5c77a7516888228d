import { z } from "zod";
import { uploadResult } from "./files.ts";
import { defineOperation } from "./operation.ts";
import { completionFields, partUrlFields, partUrls } from "./part-fields.ts";
import { publishFields } from "./publish.ts";
import { dateTime, flag, sentFileName, sha256Hex, text } from "./scalars.ts";

const delegationToken = text(200).min(1).meta({ description: "What the worker has instead of a key; also taken as a bearer token" });
/** In place of a key, also where a key would be. */
const tokenInHeader = { field: "delegationToken", prefix: "dg_" } as const;
const uploadId = text(200).min(1);
const key = text(200).optional();

const delegation = z.object({
  delegationId: z.uuid(),
  delegationToken: z.string(),
  uploadUrl: z.url().meta({ description: "Takes one PUT of the bytes, and answers as an upload does" }),
  uploadId: z.string(),
  key: z.string(),
  chunkSize: z.int(),
  totalParts: z.int().optional().meta({ description: "Where sizeBytes was sent" }),
  expiresAt: dateTime,
  unlockCode: z.string().optional(),
  handoffUrl: z.url().optional(),
});

const finished = { success: z.literal(true), file: uploadResult, data: uploadResult };

export const delegationsContract = {
  createDelegation: defineOperation({
    summary: "Let a worker upload one file without a key",
    description: "The file is the key's owner's. The delegation can do nothing else, and dies with the key.",
    tag: "Delegations",
    method: "POST",
    path: "/files/upload-delegations",
    access: "files_write",
    input: z.object({
      name: sentFileName.nullish(),
      sizeBytes: z.int().min(0).nullish().meta({ description: "Largest size, bytes; also announces the size of an upload in parts" }),
      contentType: text(200).nullish(),
      expiresInSeconds: z.int().min(60).max(86_400).nullish().meta({ description: "900 by default" }),
      ...publishFields,
      immutable: flag.nullish(),
      upstreamFileIds: z.array(text(64).min(1)).max(100).nullish(),
    }),
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
    input: z.object({ delegationToken, sha256: sha256Hex.nullish().meta({ description: "Held against the file's, where that is known" }) }),
    output: z.object(finished),
    errors: { 404: "Unknown or lapsed", 409: "Nothing has been uploaded yet", 422: "The file has another SHA-256" },
  }),
} as const;
