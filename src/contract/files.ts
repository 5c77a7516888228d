import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { publishFields } from "./publish.ts";
import { dateTime, described, EXAMPLE_SHA256, fileId, flag, madeProtection, scanStatus, sentFile, shortId } from "./scalars.ts";

/** What an upload answers (interface, "File"; decisions, "Uploads"). */
export const uploadResult = z
  .object({
    id: fileId,
    shortId,
    shortCode: described(z.string(), "The same as shortId", "7kXq9Zab"),
    shareUrl: described(z.url(), "The share link, to hand out", "https://files.example.org/d/7kXq9Zab"),
    sharePath: described(z.string(), "Path of the share link", "/d/7kXq9Zab"),
    url: described(
      z.url(),
      "The uploader's own signed download address, valid for 24 hours; it waits for the safety check",
      "https://files.example.org/dl/5hQ2vR8kLm3xTz0B/report.pdf?p=u&e=t5k2c0&s=Zm9v",
    ),
    name: described(z.string(), "Name of the file", "report.pdf"),
    size: described(z.int(), "Bytes", 48_213),
    mimeType: described(z.string(), "Type of the file, by its bytes where they tell", "application/pdf"),
    sha256: described(z.string().nullable(), "SHA-256, hexadecimal; null until it is known", EXAMPLE_SHA256),
    createdAt: described(dateTime, "When the file was complete", "2030-01-30T12:00:00Z"),
    expiresAt: described(dateTime.nullable(), "When the share expires; null: it does not", "2030-01-31T12:00:00Z"),
    isAnonymous: described(z.boolean(), "Whether it was uploaded without a key", true),
    runId: described(z.string().nullable(), "The run that it was sent with", "build-42"),
    scanStatus,
    claimToken: described(z.string().optional(), "Of an anonymous upload, once: claims or protects it", "claim_8sY2kQ"),
    deletionToken: described(z.string().optional(), "Of an anonymous upload, once: deletes it", "del_4tR9wZ"),
    ...madeProtection,
    idempotent: described(z.boolean().optional(), "true where this answer was given before, for the same Idempotency-Key", true),
  })
  .meta({ id: "Upload", description: "A file that was uploaded or imported" });
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
      token: described(z.string().min(1).optional(), "The deletion token of an anonymous upload", "del_4tR9wZ"),
      force: flag.optional().meta({ description: "Owner only: delete although the file is immutable or others name it as upstream" }),
    }),
    output: z.object({ success: z.literal(true), data: z.object({ id: fileId }) }),
    errors: {
      401: "Of an account, and neither key nor token was sent",
      403: "Wrong token",
      404: "Unknown, or not yours",
      409: "Immutable",
    },
  }),
} as const;
