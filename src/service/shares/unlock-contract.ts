import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described, handoffText, proofOfWorkFields, shortId, TOO_MANY_CODES, text, unlockText } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";

const unlocked = z.object({
  unlockToken: described(secret(z.string()), "Unlocks the share for downloads", "ul_mrxkz2g0.7bN2vQ"),
  shortId,
  expiresAt: described(dateTime, "When the token expires", "2030-01-30T12:15:00Z"),
});
const handoff = z.object({
  shortId,
  name: described(z.string(), "Name of the file or shipment", "report.pdf"),
  message: described(z.string().nullable(), "Message from the sender", "The slides for Monday."),
});

/** Unlock codes and handoff links (unlocking, sharing). */
export const unlockContract = {
  unlockDownload: defineOperation({
    summary: "Exchange an unlock code or handoff token for an unlock token",
    description:
      "Send `shortId` or `fileId` with the share's code as `unlockCode` or its password as `password`, or `handoffToken` alone. The token is " +
      "valid for 15 minutes. " +
      "After too many wrong codes, a 429 has a `challenge`: find a nonce for which SHA-256 of `challenge_id:nonce` has at least `difficulty` " +
      "leading zero bits, and send the code again with `challengeId` and `nonce`. A 429 without `challenge` limits the caller's IP address: wait.",
    tag: "Shares",
    method: "POST",
    path: "/downloads/unlock",
    access: "public",
    repeatable: true,
    namedBy: ["shortId", "fileId", "handoffToken"],
    input: () =>
      z.object({
        shortId: described(text(16).min(4).nullish(), "The share", "7kXq9Zab"),
        fileId: described(text(64).min(1).nullish(), "A file of the share, instead of shortId", "5hQ2vR8kLm3xTz0B"),
        unlockCode: described(unlockText.nullish(), "The unlock code of the share, or its password", "K7MP3X"),
        password: described(unlockText.nullish(), "The password of the share, instead of unlockCode", "correct horse battery"),
        handoffToken: described(handoffText.nullish(), "The token of the handoff link, alone", "ho_5Yc1mQ"),
        ...proofOfWorkFields,
      }),
    example: { shortId: "7kXq9Zab", unlockCode: "K7MP3X" },
    envelope: "merged",
    output: () => unlocked,
    errors: {
      403: "Wrong code, password or token",
      404: "Unknown share",
      429: TOO_MANY_CODES,
      503: "Too many passwords are being checked; see Retry-After",
    },
  }),
  getHandoff: defineOperation({
    summary: "Get the share of a handoff link",
    tag: "Shares",
    method: "GET",
    path: "/files/handoff/{token}",
    access: "public",
    input: () =>
      z.object({
        token: described(text(200).min(1), "The token of a handoff link, as in the link /h/{token}", "ho_5Yc1mQ"),
      }),
    envelope: "merged",
    output: () => handoff,
    errors: { 404: "Unknown or no longer valid" },
  }),
} as const;
