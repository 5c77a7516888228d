import type { Ctx } from "../../context.ts";
import { isWorkDone } from "../../lib/secrets/proof-of-work.ts";
import { signToken, verifyToken } from "../../lib/secrets/signed-token.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { addressSubject, type RateUse } from "../accounts/rate-limits.ts";
import { type CredentialsOwner, identifyCredentials } from "./credentials.ts";

/** The binding of a proof of work for an unlock code. */
export interface WorkSubject {
  readonly share: CredentialsOwner;
  readonly address: string;
}

/** A challenge as the API returns it. Its fields have the names of a registration's challenge. */
export interface UnlockChallenge {
  readonly challenge_id: string;
  /** Required number of leading zero bits in the SHA-256 of `challenge_id:nonce`. */
  readonly difficulty: number;
  /** The expiry, in ISO 8601. */
  readonly expires_at: string;
}

/** A solved challenge of this server. */
export interface ProvenWork {
  readonly id: string;
  readonly difficulty: number;
  readonly expiresAtMs: number;
}

const CHALLENGE_TTL_MS = 10 * MINUTE_MS;

/** Creates a signed challenge, so that issuing it writes nothing (unlocking, "A share with many wrong codes requires work"). */
export function newUnlockChallenge(
  ctx: Pick<Ctx, "keyring" | "now" | "random">,
  subject: WorkSubject,
  difficulty: number,
): UnlockChallenge {
  const expiresAtMs = ctx.now() + CHALLENGE_TTL_MS;
  const random = ctx.random(12).toHex();
  const fields = signedFields(ctx, subject, { bits: String(difficulty), random });
  const { expiry, signature } = signToken(ctx.keyring, "unlock-work", fields, expiresAtMs);
  const challengeId = `uc_${[difficulty, expiry, random, signature].join(".")}`;
  return { challenge_id: challengeId, difficulty, expires_at: toIso(expiresAtMs) };
}

/** Reads the proof that a caller sent; undefined if it is missing, wrong, expired, or bound to another share, credentials or IP address. */
export function readProvenWork(
  ctx: Pick<Ctx, "keyring" | "now">,
  subject: WorkSubject,
  sent: { readonly challengeId?: string | null; readonly nonce?: string | null },
): ProvenWork | undefined {
  const [id = "", bits = "", expiry = "", random = "", signature = ""] =
    /^uc_(\d{1,3})\.(\w+)\.([0-9a-f]{24})\.([\w-]+)$/.exec(sent.challengeId ?? "") ?? [];
  if (!sent.nonce) return undefined;
  const expiresAtMs = verifyToken(ctx.keyring, "unlock-work", signedFields(ctx, subject, { bits, random }), { expiry, signature });
  const difficulty = Number(bits);
  if (expiresAtMs === undefined || ctx.now() >= expiresAtMs || !isWorkDone(id, sent.nonce, difficulty)) return undefined;
  return { id, difficulty, expiresAtMs };
}

/** Returns the rate-limit use that records a proof as used: once per proof until it expires, exactly across processes. */
export const workUse = (ctx: Pick<Ctx, "now">, { id, expiresAtMs }: ProvenWork): RateUse => {
  const nowMs = ctx.now();
  return { name: "unlockProof", subject: id, rate: { limit: 1, windowMs: expiresAtMs - nowMs }, nowMs };
};

/** Returns the signed fields. The difficulty is signed as text, because the use of a proof is counted by the text of its challenge. */
const signedFields = (
  ctx: Pick<Ctx, "keyring">,
  { share, address }: WorkSubject,
  { bits, random }: { readonly bits: string; readonly random: string },
) => [...identifyCredentials(share), addressSubject(ctx.keyring, address), bits, random];
