import { z } from "zod";
import { defineOperation } from "./operation.ts";
import {
  dateTime,
  described,
  EXAMPLE_SHA256,
  failureReason,
  fileId,
  scanStatus,
  shortId,
  TOO_MANY_CODES,
  text,
  workFields,
} from "./scalars.ts";

/** Share metadata (interface, "Share metadata"; decisions, "Model"). */
export const shareMetadata = z
  .object({
    id: described(z.string(), "The file's id; of a Shipment its own", "5hQ2vR8kLm3xTz0B"),
    short_id: shortId,
    kind: described(z.enum(["file", "shipment"]), "One file, or a Shipment of several", "file"),
    name: described(z.string(), "Name of the file or Shipment", "report.pdf"),
    size_bytes: described(z.int(), "Bytes; of a Shipment the sum", 48_213),
    content_type: described(z.string().nullable(), "Type of the file; null of a Shipment", "application/pdf"),
    sha256: described(z.string().nullable(), "SHA-256, hexadecimal; null until it is known", EXAMPLE_SHA256),
    expires_at: described(dateTime.nullable(), "When the share expires; null: it does not", "2030-01-31T12:00:00Z"),
    scanStatus,
    failureReason,
    scanned: described(z.boolean(), "false where no scanner looked at it", true),
    scanCoverage: z.enum(["whole", "windowed", "none"]).nullable().meta({
      description: "windowed: looked at in overlapping pieces, so what only the whole would show was not seen; null until it was checked",
    }),
    uploading: described(z.boolean(), "Whether its bytes are still arriving", false),
    unlockRequired: described(z.boolean(), "Whether a download needs an unlock code or a delivery link", false),
    directEffective: described(z.boolean(), "Whether opening the share link begins the download", false),
    sponsoredDelivery: z.boolean().meta({
      examples: [false],
      description: "Whether its pages show this server's sponsor, or have recipients wait before a download; never where the owner is Pro",
    }),
    paymentRequired: described(z.boolean(), "Whether a download has to be paid for", false),
    priceCents: described(z.int().nullable(), "Price in US cents; null: none"),
    files: z
      .array(
        z.object({
          id: fileId,
          name: described(z.string(), "Name of the file", "report.pdf"),
          size_bytes: described(z.int(), "Bytes", 48_213),
          content_type: described(z.string().nullable(), "Type of the file", "application/pdf"),
          scanStatus,
          failureReason,
          relativePath: described(z.string().nullable(), "Its path in the Shipment, where it was sent with one", "docs/report.pdf"),
        }),
      )
      .optional()
      .meta({ description: "Its files, of a Shipment" }),
  })
  .meta({ id: "Share", description: "A share as everybody may see it" });
export type ShareMetadata = z.infer<typeof shareMetadata>;

const downloadCredentials = {
  unlockCode: described(text(64).optional(), "The unlock code of a protected share", "K7MP3X"),
  unlockToken: described(text(500).optional(), "What POST /downloads/unlock answered, in its place", "ut_7bN2"),
  handoffToken: described(text(200).optional(), "The token of a private delivery link, in its place", "ho_5Yc1mQ"),
  purchaseToken: described(text(200).optional(), "Proof of payment for a priced share", "pu_3xK9"),
  ...workFields,
};

const url = described(
  z.url(),
  "Signed address of the bytes, valid for an hour",
  "https://files.example.org/dl/5hQ2vR8kLm3xTz0B/report.pdf?p=d&e=t5k2c0&s=Zm9v",
);
/** At top level alone: a known client takes any `data.url` for a payment link (decisions, "Downloads"). */
const signedUrl = z.object({ success: z.literal(true), url });

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
