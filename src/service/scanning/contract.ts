import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit } from "../../contract/paging.ts";
import { dateTime, described, EXAMPLE_SHA256, sha256Hex, storedText, text } from "../../contract/scalars.ts";

/** Maximum number of digests that one request can add. */
export const MAX_NEW_DIGESTS = 1000;

const blockedDigest = z
  .object({
    sha256: described(z.string(), "The digest, hexadecimal", EXAMPLE_SHA256),
    reason: described(z.string().nullable(), "The administrator's note; null: none", "Court order 12/26"),
    addedBy: described(z.string(), "The administrator's email address, or `command_line`", "ada@example.org"),
    createdAt: described(dateTime, "When it was added", "2030-01-30T12:00:00Z"),
  })
  .meta({ id: "BlockedDigest", description: "A digest that no file may have" });

/** scanning, "The blocklist". */
export const blocklistContract = {
  listBlockedDigests: defineOperation({
    summary: "List the digests that no file may have",
    description: "The last added first.",
    tag: "Administration",
    method: "GET",
    path: "/admin/blocklist",
    access: "admin",
    isCompressed: true,
    input: () =>
      z.object({
        search: described(text(200).optional(), "The start of a digest, or a part of the reason", "Court order"),
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor: z
          .string()
          .regex(/^\d{1,15}_[0-9a-f]{64}$/, "give the `nextCursor` of the previous response")
          .optional()
          .meta({ description: "The `nextCursor` of the previous response", examples: [`1926590400000_${EXAMPLE_SHA256}`] }),
      }),
    output: () =>
      z.object({
        success: z.literal(true),
        data: described(z.array(blockedDigest), "The digests of this page"),
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: {},
  }),
  blockDigests: defineOperation({
    summary: "Block all files with these digests, those of today and those to come",
    description: "All are added or none. One that is on the list already keeps its reason.",
    tag: "Administration",
    method: "POST",
    path: "/admin/blocklist",
    access: "admin",
    input: () =>
      z.object({
        digests: described(
          z.array(sha256Hex).min(1, "give at least one digest").max(MAX_NEW_DIGESTS, `give at most ${MAX_NEW_DIGESTS} digests`),
          "SHA-256 digests, each of 64 hexadecimal digits",
          [EXAMPLE_SHA256],
        ),
        reason: described(storedText(1000).nullish(), "A note for the administrators", "Court order 12/26"),
      }),
    envelope: "data",
    output: () =>
      z.object({
        added: described(z.array(z.string()), "Those that are new on the list", [EXAMPLE_SHA256]),
        known: described(z.array(z.string()), "Those that were on it already", []),
      }),
    errors: {},
  }),
  unblockDigest: defineOperation({
    summary: "Remove a digest from the blocklist",
    description: "Files that it blocked can be downloaded again after a rescan.",
    tag: "Administration",
    method: "DELETE",
    path: "/admin/blocklist/{sha256}",
    access: "admin",
    input: () => z.object({ sha256: described(text(200).min(1), "The digest", EXAMPLE_SHA256) }),
    envelope: "data",
    output: () => z.object({ sha256: described(z.string(), "The digest", EXAMPLE_SHA256) }),
    errors: { 404: "It is not on the blocklist" },
  }),
} as const;
