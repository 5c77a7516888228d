import { z } from "zod";
import { dateTime, PART_SIZE, sentFileName, sha256Hex, text } from "./scalars.ts";

/** What addresses for parts are asked with, by an upload's own sender and by a delegation's worker alike. */
export const partUrlFields = {
  totalParts: z.int().optional(),
  partDigests: z
    .record(z.string().regex(/^[1-9]\d{0,4}$/, "name parts by their numbers, from 1 on"), sha256Hex)
    .refine((digests) => Object.keys(digests).length > 0, "name at least one part")
    .meta({ description: "Part number → SHA-256 of the part, hexadecimal", minProperties: 1 }),
};

export const partUrls = z.object({ success: z.literal(true), urls: z.record(z.string(), z.url()), expiresAt: dateTime });

export const partNumber = z.int().min(1).max(PART_SIZE.maxParts);

/** What may be said of the whole when its parts are there. */
export const completionFields = {
  parts: z
    .array(z.object({ partNumber, etag: text(200) }))
    .max(PART_SIZE.maxParts)
    .nullish(),
  fileName: sentFileName.nullish(),
  fileSize: z.int().min(0).nullish(),
  contentType: text(200).nullish(),
};
