import type { Ctx, RequestContext, TransactionCtx } from "../../../context.ts";
import type { PasskeyChallengeTable } from "../../../db/tables/second-factors.ts";
import { hashToken } from "../../../lib/secrets/secrets.ts";
import { MINUTE_MS } from "../../../lib/text/duration.ts";
import { addressUses, consumeAll, rateLimited } from "../../accounts/rate-limits.ts";

/** Time that a device may take to sign a challenge (accounts, "Passkeys"). */
export const CHALLENGE_MS = 5 * MINUTE_MS;

/** The purpose and session of a challenge. No other purpose or session can use it. */
export type ChallengeUse = Pick<PasskeyChallengeTable, "purpose" | "session_id">;

/** Counts a challenge for its IP address. Throws RATE_LIMITED. */
export async function countChallenge(ctx: Ctx, { address }: Pick<RequestContext, "address">): Promise<void> {
  const uses = addressUses(ctx, { name: "passkeyChallenges", address });
  const exceeded = await ctx.transaction(async (ctx) => await consumeAll(ctx.db, uses));
  if (!exceeded) return;
  throw rateLimited({
    nowMs: ctx.now(),
    resetsAtMs: exceeded.resetsAtMs,
    message: ({ retryAfterSeconds }) => `Too many attempts with passkeys. Try again in ${retryAfterSeconds} seconds.`,
    fields: (wait) => ({ ...wait }),
  });
}

/** Creates a challenge of 256 random bits, of which only a hash is stored. */
export async function createChallenge({ db, now, random }: TransactionCtx, use: ChallengeUse): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(random(32));
  await db
    .insertInto("passkey_challenges")
    .values({ ...use, id: toId(challenge.toBase64({ alphabet: "base64url", omitPadding: true })), expires_at: now() + CHALLENGE_MS })
    .execute();
  return challenge;
}

/**
 * Uses up the challenge that a device has signed, before the rest is checked. Resolves to undefined if it is unknown, used, expired or for another
 * use; a further attempt requires another challenge.
 */
export async function takeChallenge(
  { db, now }: Pick<Ctx, "db" | "now">,
  clientDataJson: string,
  { purpose, session_id }: ChallengeUse,
): Promise<string | undefined> {
  const challenge = challengeOf(clientDataJson);
  if (challenge === undefined) return undefined;
  const row = await db
    .deleteFrom("passkey_challenges")
    .where("id", "=", toId(challenge))
    .where("purpose", "=", purpose)
    .where("session_id", "is", session_id)
    .returning("expires_at")
    .executeTakeFirst();
  return row !== undefined && row.expires_at > now() ? challenge : undefined;
}

const toId = (challenge: string): string => hashToken(`passkey:${challenge}`);

/** Returns the challenge in the client's data; undefined if the data is malformed. */
function challengeOf(clientDataJson: string): string | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJson, "base64url").toString("utf8"));
    if (typeof data === "object" && data !== null && "challenge" in data && typeof data.challenge === "string") return data.challenge;
  } catch {
    // Client data that is not JSON has no challenge.
  }
  return undefined;
}

/** Deletes challenges that nobody signed in time. */
export async function deleteExpiredChallenges({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db.deleteFrom("passkey_challenges").where("expires_at", "<=", now()).execute();
}
