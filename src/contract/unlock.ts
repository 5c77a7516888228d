import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { dateTime, TOO_MANY_CODES, text, workFields } from "./scalars.ts";

const unlocked = z.object({ unlockToken: z.string(), shortId: z.string(), expiresAt: dateTime });
const handoff = z.object({ shortId: z.string(), name: z.string(), message: z.string().nullable() });

export const unlockContract = {
  unlockDownload: defineOperation({
    summary: "Exchange an unlock code or delivery link for an unlock token",
    description:
      "Send `shortId` or `fileId` with `unlockCode`, or `handoffToken` alone. The token is valid for 15 minutes. " +
      "After too many wrong codes, 429 carries `challenge`: find a nonce for which SHA-256 of `challenge_id:nonce` has at least `difficulty` " +
      "leading zero bits, and send the code again with `challengeId` and `nonce`. A 429 without `challenge` is about the caller's address: wait.",
    tag: "Shares",
    method: "POST",
    path: "/downloads/unlock",
    access: "public",
    namedBy: ["shortId", "fileId", "handoffToken"],
    input: z.object({
      shortId: text(16).min(4).nullish(),
      fileId: text(64).min(1).nullish(),
      unlockCode: text(64).nullish(),
      handoffToken: text(200).nullish(),
      challengeId: workFields.challengeId.nullish(),
      nonce: workFields.nonce.nullish(),
    }),
    output: unlocked.extend({ success: z.literal(true), data: unlocked }),
    errors: { 403: "Wrong code or token", 404: "Unknown share", 429: TOO_MANY_CODES },
  }),
  getHandoff: defineOperation({
    summary: "What a delivery link is for",
    tag: "Shares",
    method: "GET",
    path: "/files/handoff/{token}",
    access: "public",
    input: z.object({ token: text(200).min(1) }),
    output: handoff.extend({ success: z.literal(true), data: handoff }),
    errors: { 404: "Unknown, or no longer valid" },
  }),
} as const;
