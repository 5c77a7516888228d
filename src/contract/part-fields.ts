import { z } from "zod";
import { dateTime, described, EXAMPLE_SHA256, PART_SIZE, sentFileName, sha256Hex, text } from "./scalars.ts";

/** How many parts an upload has: none where it is empty. */
export const totalParts = z.int().min(0).max(PART_SIZE.maxParts);

/** What addresses for parts are asked with, by an upload's own sender and by a delegation's worker alike. */
export const partUrlFields = {
  totalParts: described(totalParts.optional(), "How many parts the upload has; the session knows it already", 2),
  partDigests: z
    .record(z.string().regex(/^[1-9]\d{0,4}$/, "name parts by their numbers, from 1 on"), sha256Hex)
    .refine((digests) => Object.keys(digests).length > 0, "name at least one part")
    .meta({ description: "Part number → SHA-256 of the part, hexadecimal", minProperties: 1, examples: [{ "1": EXAMPLE_SHA256 }] }),
};

export const partUrls = z.object({
  success: z.literal(true),
  urls: described(z.record(z.string(), z.url()), "Part number → address to PUT the part's bytes to", {
    "1": `https://files.example.org/up/mQ4vX2/1?d=${EXAMPLE_SHA256}&e=t5k2c0&s=Zm9v`,
  }),
  expiresAt: described(dateTime, "Until when the addresses are valid", "2030-01-31T12:00:00Z"),
});

export const partNumber = described(z.int().min(1).max(PART_SIZE.maxParts), "Number of the part, from 1 on", 1);

const namedPart = z.object({ partNumber, etag: described(text(200), "The ETag that the part's PUT answered", '"9b2c"') });

/** What may be said of the whole when its parts are there. */
export const completionFields = {
  parts: described(
    z.array(namedPart).max(PART_SIZE.maxParts).nullish(),
    "The parts as their PUTs were answered; all must have arrived anyhow",
    [{ partNumber: 1, etag: '"9b2c"' }],
  ),
  fileName: described(sentFileName.nullish(), "The file's name, in place of the one sent before", "report.pdf"),
  fileSize: described(z.int().min(0).nullish(), "Bytes; must be the size that was sent before", 20_000_000),
  contentType: described(text(200).nullish(), "Type of the file, where its bytes do not tell", "application/pdf"),
};
