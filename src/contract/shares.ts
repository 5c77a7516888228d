import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { dateTime, failureReason, fileId, scanStatus, shortId, TOO_MANY_CODES, text, workFields } from "./scalars.ts";

/** Share metadata (interface, "Share metadata"; decisions, "Model"). */
export const shareMetadata = z
  .object({
    id: z.string(),
    short_id: z.string(),
    kind: z.enum(["file", "shipment"]),
    name: z.string(),
    size_bytes: z.int(),
    content_type: z.string().nullable(),
    sha256: z.string().nullable(),
    expires_at: dateTime.nullable(),
    scanStatus,
    failureReason,
    scanned: z.boolean(),
    scanCoverage: z.enum(["whole", "windowed", "none"]).nullable().meta({
      description: "windowed: looked at in overlapping pieces, so what only the whole would show was not seen; null until it was checked",
    }),
    uploading: z.boolean(),
    unlockRequired: z.boolean(),
    directEffective: z.boolean(),
    sponsoredDelivery: z.boolean().meta({
      description: "Whether its pages show this server's sponsor, or have recipients wait before a download; never where the owner is Pro",
    }),
    paymentRequired: z.boolean(),
    priceCents: z.int().nullable(),
    files: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          size_bytes: z.int(),
          content_type: z.string().nullable(),
          scanStatus,
          failureReason,
          relativePath: z.string().nullable(),
        }),
      )
      .optional()
      .meta({ description: "Of a shipment" }),
  })
  .meta({ id: "Share" });
export type ShareMetadata = z.infer<typeof shareMetadata>;

const downloadCredentials = {
  unlockCode: text(64).optional(),
  unlockToken: text(500).optional(),
  handoffToken: text(200).optional(),
  purchaseToken: text(200).optional(),
  challengeId: workFields.challengeId.optional(),
  nonce: workFields.nonce.optional(),
};

/** At top level alone: a known client takes any `data.url` for a payment link (decisions, "Downloads"). */
const signedUrl = z.object({ success: z.literal(true), url: z.url() });

export const sharesContract = {
  getShare: defineOperation({
    summary: "Look at a share",
    description: "Poll `scanStatus` until it is `clean` before a download by a program.",
    tag: "Shares",
    method: "GET",
    path: "/files/share/{shortId}",
    access: "public",
    input: z.object({ shortId }),
    output: shareMetadata.extend({ success: z.literal(true), data: shareMetadata }),
    errors: { 404: "Unknown or expired" },
  }),
  authorizeArchive: defineOperation({
    summary: "Get a signed address of all files as one ZIP",
    description:
      "Takes the credentials of a download. Counts a download of each clean file, and each hundred of them as a request; streamed, of known length.",
    tag: "Shares",
    method: "GET",
    path: "/files/share/{shortId}/archive",
    access: "optional",
    counts: true,
    input: z.object({ shortId, ...downloadCredentials }),
    output: signedUrl,
    errors: {
      402: "It has a price",
      403: "Protected",
      404: "Missing, expired or blocked",
      409: "The safety check still runs",
      429: TOO_MANY_CODES,
    },
  }),
  authorizeDownload: defineOperation({
    summary: "Get a signed download address",
    description: "The address is valid for an hour. Each call counts as a download.",
    tag: "Shares",
    method: "GET",
    path: "/files/download/{fileId}",
    access: "optional",
    counts: true,
    input: z.object({ fileId, ...downloadCredentials }),
    output: signedUrl,
    errors: {
      402: "It has a price",
      403: "Protected",
      404: "Missing, expired, used up or blocked by the check",
      409: "The safety check still runs",
      429: TOO_MANY_CODES,
    },
  }),
} as const;
