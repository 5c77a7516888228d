import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { dateTime, described, shortId, TOO_MANY_CODES, text, workFields } from "./scalars.ts";

const unlocked = z.object({
  unlockToken: described(z.string(), "Opens the share for later downloads", "ut_7bN2"),
  shortId,
  expiresAt: described(dateTime, "Until when the token is valid", "2030-01-30T12:15:00Z"),
});
const handoff = z.object({
  shortId,
  name: described(z.string(), "Name of the file or Shipment", "report.pdf"),
  message: described(z.string().nullable(), "The sender's note", "The slides for Monday."),
});

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
      shortId: described(text(16).min(4).nullish(), "The share", "7kXq9Zab"),
      fileId: described(text(64).min(1).nullish(), "Or the file", "5hQ2vR8kLm3xTz0B"),
      unlockCode: described(text(64).nullish(), "Its unlock code", "K7MP3X"),
      handoffToken: described(text(200).nullish(), "Or the token of its private delivery link, alone", "ho_5Yc1mQ"),
      ...workFields,
    }),
    example: { shortId: "7kXq9Zab", unlockCode: "K7MP3X" },
    output: unlocked.extend({ success: z.literal(true), data: unlocked }),
    errors: { 403: "Wrong code or token", 404: "Unknown share", 429: TOO_MANY_CODES },
  }),
  getHandoff: defineOperation({
    summary: "What a delivery link is for",
    tag: "Shares",
    method: "GET",
    path: "/files/handoff/{token}",
    access: "public",
    input: z.object({
      token: described(text(200).min(1), "The token of a private delivery link, as in {site_url}/h/{token}", "ho_5Yc1mQ"),
    }),
    output: handoff.extend({ success: z.literal(true), data: handoff }),
    errors: { 404: "Unknown, or no longer valid" },
  }),
} as const;
