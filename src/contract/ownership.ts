import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { described, fileId, flag, keptText, madeProtection, sentDateTime, shortId, text } from "./scalars.ts";

/** Ids and tokens are at least this long on the routes that prove ownership (interface, "Limits"). */
const longId = described(text(200).min(8), "The file's id", "5hQ2vR8kLm3xTz0B");
const claimToken = described(text(200).min(8), "The claim token that the anonymous upload answered", "claim_8sY2kQ");
const handoffMessage = described(keptText(480).nullish(), "Note shown on the delivery page", "The slides for Monday.");

const protection = {
  unlockRequired: described(z.boolean(), "Whether a download needs an unlock code or a delivery link", true),
  ...madeProtection,
};

export const ownershipContract = {
  claimFile: defineOperation({
    summary: "Take an anonymous upload into the key's account",
    tag: "Ownership",
    method: "POST",
    path: "/files/claim",
    access: "files_write",
    input: z.object({ fileId: longId, claimToken }),
    output: z.object({
      success: z.literal(true),
      data: z.object({ id: fileId, shortCode: described(z.string(), "The share's short id", "7kXq9Zab") }),
    }),
    errors: { 403: "Wrong token", 404: "Unknown file", 409: "Claimed by another account already", 413: "The account has no room for it" },
  }),
  setLinkProtection: defineOperation({
    summary: "Protect an anonymous upload, or clear its protection",
    description: "Proves ownership by the claim token. New credentials replace the old ones at once.",
    tag: "Ownership",
    method: "PATCH",
    path: "/files/link-protection",
    access: "public",
    input: z.object({
      fileId: longId,
      claimToken,
      protect: described(flag, "true makes new credentials, false clears them", true),
      handoffMessage,
    }),
    output: z.object({
      success: z.literal(true),
      data: z.object({ fileId, shortId, ...protection }),
    }),
    errors: { 403: "Wrong token", 404: "Unknown file", 409: "The file has been claimed" },
  }),
  updateShareSettings: defineOperation({
    summary: "Change how a share is published",
    description: "Of a file by `fileId`, or of a shipment or one-file share by `shortId`.",
    tag: "Ownership",
    method: "PATCH",
    path: "/files/share-settings",
    access: "files_write",
    namedBy: ["fileId", "shortId"],
    input: z.object({
      fileId: described(text(64).nullish(), "The file whose share it is", "5hQ2vR8kLm3xTz0B"),
      shortId: described(text(16).min(4).nullish(), "The share, or Shipment", "7kXq9Zab"),
      visibility: described(z.enum(["unlisted", "public"]).nullish(), "public needs a username", "unlisted"),
      direct: described(flag.nullish(), "Pro: opening the share link begins the download", true),
      retention: described(z.enum(["ttl", "forever"]).nullish(), "forever is for public Pro shares", "ttl"),
      expiresAt: described(sentDateTime.nullish(), "When the share expires, at most 90 days from now", "2030-01-31T12:00:00Z"),
      extendTtl: described(
        z
          .string()
          .regex(/^\d{1,4}(m|h|d|w)$/, "give a time such as 30m, 24h, 7d or 2w")
          .nullish(),
        "Keeps the share for this long from now, never shorter than before: a number and m, h, d or w",
        "7d",
      ),
      protect: described(flag.nullish(), "true makes new credentials, false clears them", true),
      handoffMessage,
      immutable: described(flag.nullish(), "Whether the file cannot be casually changed or deleted", true),
      upstreamFileIds: described(z.array(text(64).min(1)).max(100).nullish(), "Ids of the files that it was made from", [
        "5hQ2vR8kLm3xTz0B",
      ]),
      priceCents: z
        .union(
          [z.literal(0), z.int().min(100).max(99_999_999)],
          "give 0 for none, or a whole number of at least 100 and less than 100,000,000",
        )
        .nullish()
        .meta({ description: "One-time price in US cents; 0 or null clears it", examples: [500] }),
    }),
    example: { fileId: "5hQ2vR8kLm3xTz0B", extendTtl: "7d", protect: true },
    output: z.object({
      success: z.literal(true),
      data: z.object({
        fileId,
        shortId,
        visibility: described(z.enum(["unlisted", "public"]), "Whether it may appear on its owner's page", "unlisted"),
        ...protection,
      }),
    }),
    errors: { 404: "Unknown, or not yours", 409: "Immutable, or not ready to sell" },
  }),
} as const;
