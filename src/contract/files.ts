import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { publishFields } from "./publish.ts";
import { dateTime, fileId, flag, scanStatus, sentFile } from "./scalars.ts";

/** What an upload answers (interface, "File"; decisions, "Uploads"). */
export const uploadResult = z
  .object({
    id: z.string(),
    shortId: z.string(),
    shortCode: z.string(),
    shareUrl: z.url(),
    sharePath: z.string(),
    url: z.url(),
    name: z.string(),
    size: z.int(),
    mimeType: z.string(),
    sha256: z.string().nullable(),
    createdAt: dateTime,
    expiresAt: dateTime.nullable(),
    isAnonymous: z.boolean(),
    runId: z.string().nullable(),
    scanStatus,
    claimToken: z.string().optional(),
    deletionToken: z.string().optional(),
    unlockCode: z.string().optional(),
    handoffUrl: z.url().optional(),
    idempotent: z.boolean().optional(),
  })
  .meta({ id: "Upload" });
export type UploadResult = z.infer<typeof uploadResult>;

export const filesContract = {
  uploadFile: defineOperation({
    summary: "Upload a file of up to 4 MB",
    tag: "Upload",
    method: "POST",
    path: "/files/upload",
    access: "optional",
    body: "multipart",
    input: z.object({ file: sentFile, ...publishFields }),
    output: z.object({ success: z.literal(true), data: uploadResult }),
    errors: {
      400: "Invalid input",
      404: "A folder or shipment that is not the caller's",
      413: "Larger than 4 MB, or past the tier's quota",
      507: "The server's disk is full",
    },
  }),
  deleteFile: defineOperation({
    summary: "Delete a file for good",
    description: "With the owner's key, or for an anonymous upload with its deletion token.",
    tag: "Files",
    method: "DELETE",
    path: "/files/delete",
    access: "optional",
    input: z.object({
      fileId,
      token: z.string().min(1).optional().meta({ description: "The deletion token of an anonymous upload" }),
      force: flag.optional().meta({ description: "Owner only: delete although the file is immutable or others name it as upstream" }),
    }),
    output: z.object({ success: z.literal(true), data: z.object({ id: z.string() }) }),
    errors: {
      401: "Of an account, and neither key nor token was sent",
      403: "Wrong token",
      404: "Unknown, or not yours",
      409: "Immutable",
    },
  }),
} as const;
