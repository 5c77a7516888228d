import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import {
  dateTime,
  described,
  EXAMPLE_SHA256,
  fileNameInput,
  flag,
  protectionCredentials,
  sha256Hex,
  text,
} from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { webUrl } from "../../contract/web-url.ts";
import { uploadResult } from "../files/contract.ts";
import { publishFields } from "../shares/contract.ts";
import { completionFields, partUrlFields, partUrls, totalParts } from "./contract.ts";

const delegationToken = described(text(200).min(1), "The uploader's credential; also accepted as a bearer token", "dg_6wN1pK");
/** The token is also accepted in the header for API keys. */
const tokenInHeader = { field: "delegationToken", prefix: "dg_" } as const;
const uploadId = described(text(200).min(1), "Secret ID of the delegation's upload session", "Tq8vR2xYb7");
const key = described(text(200).optional(), "Public name of the session", "mQ4vX2");

const delegation = z.object({
  delegationId: described(z.uuid(), "The delegation's ID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
  delegationToken: described(secret(z.string()), "The uploader's credential; shown once", "dg_6wN1pK"),
  uploadUrl: described(secret(webUrl), "Accepts one PUT of the bytes; responds like an upload", "https://files.example.org/de/dg_6wN1pK"),
  uploadId: secret(uploadId),
  key: described(z.string(), "Public name of the session", "mQ4vX2"),
  chunkSize: described(z.int().min(1), "Bytes of each part except the last, for an upload in parts", 16_777_216),
  totalParts: described(totalParts.optional(), "Number of parts, if sizeBytes was sent", 2),
  expiresAt: described(
    dateTime,
    "When the delegation expires. A PUT must start, and parts must be completed, before then",
    "2030-01-31T12:00:00Z",
  ),
  ...protectionCredentials,
});

export const delegationsContract = {
  createDelegation: defineOperation({
    summary: "Create an upload delegation for one file",
    description: "The uploader needs no key; the file belongs to the key's owner. The delegation ends when the key is revoked.",
    tag: "Delegations",
    method: "POST",
    path: "/files/upload-delegations",
    access: "files_write",
    input: () =>
      z.object({
        name: described(fileNameInput.nullish(), "The file's name", "report.pdf"),
        sizeBytes: described(z.int().min(0).nullish(), "Largest size, bytes; for an upload in parts, its size", 20_000_000),
        contentType: described(text(200).nullish(), "Media type, used if the bytes do not show it", "application/pdf"),
        expiresInSeconds: described(z.int().min(60).max(86_400).nullish(), "Seconds until the delegation expires; default: 900", 900),
        ...publishFields,
        immutable: described(flag.nullish(), "Whether changes and deletion are blocked until this is unset or forced", true),
        upstreamFileIds: described(z.array(text(64).min(1)).max(100).nullish(), "IDs of the files that this file was made from", [
          "5hQ2vR8kLm3xTz0B",
        ]),
      }),
    example: { name: "report.pdf", sizeBytes: 20_000_000, expiresInSeconds: 900 },
    envelope: "data",
    output: () => delegation,
    errors: { 404: "A folder, shipment or upstream file is unknown or not in the owner's account", 413: "Larger than the tier allows" },
  }),
  batchDelegatedPartUrls: defineOperation({
    summary: "Get signed URLs for the parts of a delegated upload",
    tag: "Delegations",
    method: "POST",
    path: "/files/upload-delegations/multipart/batch-urls",
    access: "public",
    repeatable: true,
    tokenInHeader,
    input: () =>
      z.object({
        delegationToken,
        uploadId,
        key,
        ...partUrlFields,
      }),
    output: () => partUrls,
    errors: { 404: "Unknown or expired", 409: "The delegation was already used" },
  }),
  completeDelegatedMultipart: defineOperation({
    summary: "Complete a delegated upload in parts",
    tag: "Delegations",
    method: "POST",
    path: "/files/upload-delegations/multipart/complete",
    access: "public",
    tokenInHeader,
    input: () =>
      z.object({
        delegationToken,
        uploadId,
        key,
        ...completionFields,
      }),
    envelope: "file",
    output: () => uploadResult,
    errors: { 404: "Unknown or expired", 409: "Parts are missing, or the delegation was already used" },
  }),
  completeDelegation: defineOperation({
    summary: "Get the result of a delegated upload",
    description: "Repeats the upload's response.",
    tag: "Delegations",
    method: "POST",
    path: "/files/upload-delegations/complete",
    access: "public",
    repeatable: true,
    tokenInHeader,
    input: () =>
      z.object({
        delegationToken,
        sha256: described(sha256Hex.nullish(), "Expected SHA-256 of the file, compared if the file's is known", EXAMPLE_SHA256),
      }),
    envelope: "file",
    output: () => uploadResult,
    errors: { 404: "Unknown or expired", 409: "No file has been uploaded yet", 422: "The file has another SHA-256" },
  }),
} as const;
