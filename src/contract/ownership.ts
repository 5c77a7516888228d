import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { flag, keptText, sentDateTime, text } from "./scalars.ts";

/** Ids and tokens are at least this long on the routes that prove ownership (interface, "Limits"). */
const longId = text(200).min(8);
const handoffMessage = keptText(480).nullish().meta({ description: "Note shown on the delivery page" });

const protection = {
  unlockRequired: z.boolean(),
  unlockCode: z.string().optional().meta({ description: "Shown once" }),
  handoffUrl: z.url().optional().meta({ description: "Private delivery link, shown once" }),
};

export const ownershipContract = {
  claimFile: defineOperation({
    summary: "Take an anonymous upload into the key's account",
    tag: "Ownership",
    method: "POST",
    path: "/files/claim",
    access: "files_write",
    input: z.object({ fileId: longId, claimToken: longId }),
    output: z.object({ success: z.literal(true), data: z.object({ id: z.string(), shortCode: z.string() }) }),
    errors: { 403: "Wrong token", 404: "Unknown file", 409: "Claimed by another account already", 413: "The account has no room for it" },
  }),
  setLinkProtection: defineOperation({
    summary: "Protect an anonymous upload, or clear its protection",
    description: "Proves ownership by the claim token. New credentials replace the old ones at once.",
    tag: "Ownership",
    method: "PATCH",
    path: "/files/link-protection",
    access: "public",
    input: z.object({ fileId: longId, claimToken: longId, protect: flag, handoffMessage }),
    output: z.object({
      success: z.literal(true),
      data: z.object({ fileId: z.string(), shortId: z.string(), ...protection }),
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
      fileId: text(64).nullish(),
      shortId: text(16).min(4).nullish(),
      visibility: z.enum(["unlisted", "public"]).nullish(),
      direct: flag.nullish(),
      retention: z.enum(["ttl", "forever"]).nullish(),
      expiresAt: sentDateTime.nullish(),
      extendTtl: z
        .string()
        .regex(/^\d{1,4}(m|h|d|w)$/, "give a time such as 30m, 24h, 7d or 2w")
        .nullish(),
      protect: flag.nullish(),
      handoffMessage,
      immutable: flag.nullish(),
      upstreamFileIds: z.array(text(64).min(1)).max(100).nullish(),
      priceCents: z
        .union(
          [z.literal(0), z.int().min(100).max(99_999_999)],
          "give 0 for none, or a whole number of at least 100 and less than 100,000,000",
        )
        .nullish()
        .meta({ description: "One-time price in US cents; 0 or null clears it" }),
    }),
    output: z.object({
      success: z.literal(true),
      data: z.object({ fileId: z.string(), shortId: z.string(), visibility: z.enum(["unlisted", "public"]), ...protection }),
    }),
    errors: { 404: "Unknown, or not yours", 409: "Immutable, or not ready to sell" },
  }),
} as const;
