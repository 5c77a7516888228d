import { addressSubject } from "../../auth/address-subject.ts";
import { isWorkDone } from "../../auth/proof-of-work.ts";
import type { Ctx, TxCtx } from "../../context.ts";
import type { RateUse } from "../../db/rate-windows.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { MINUTE_MS } from "../../domain/ttl.ts";

const CHALLENGE_MS = 10 * MINUTE_MS;

/** What the proof of work for an unlock code is bound to. */
export interface WorkSubject {
  readonly share: Pick<ShareRow, "short_id" | "generation">;
  readonly address: string;
}

/** A challenge as the API answers it, spelled as that of a registration. */
export interface UnlockChallenge {
  readonly challenge_id: string;
  /** Leading zero bits of SHA-256 of `challenge_id:nonce`. */
  readonly difficulty: number;
  /** ISO 8601. */
  readonly expires_at: string;
}

/** Work that was done for a challenge of this server. */
export interface UnlockProof {
  readonly id: string;
  readonly difficulty: number;
  readonly expiresAtMs: number;
}

/** A new challenge. It is signed, so that issuing one writes nothing. */
export function newUnlockChallenge(
  ctx: Pick<Ctx, "keyring" | "now" | "random">,
  subject: WorkSubject,
  difficulty: number,
): UnlockChallenge {
  const expiresAtMs = ctx.now() + CHALLENGE_MS;
  const terms = [difficulty, expiresAtMs.toString(36), ctx.random(12).toHex()].join(".");
  const signature = ctx.keyring.sign(signedText(ctx, subject, terms));
  return { challenge_id: `uc_${terms}.${signature}`, difficulty, expires_at: new Date(expiresAtMs).toISOString() };
}

/** The proof that a caller sent; undefined without one, and for one of another share, credentials or address, expired or without the work. */
export function readUnlockProof(
  ctx: Pick<Ctx, "keyring" | "now">,
  subject: WorkSubject,
  sent: { readonly challengeId?: string | null; readonly nonce?: string | null },
): UnlockProof | undefined {
  const [id = "", terms = "", bits = "", until = "", signature = ""] =
    /^uc_((\d{1,3})\.([0-9a-z]{1,10})\.[0-9a-f]{24})\.([\w-]+)$/.exec(sent.challengeId ?? "") ?? [];
  if (!sent.nonce || !ctx.keyring.verify(signedText(ctx, subject, terms), signature)) return undefined;
  const [difficulty, expiresAtMs] = [Number(bits), Number.parseInt(until, 36)];
  if (ctx.now() >= expiresAtMs || !isWorkDone(id, sent.nonce, difficulty)) return undefined;
  return { id, difficulty, expiresAtMs };
}

/** The single use of a proof, exact across processes. */
export const proofUse = (ctx: Pick<TxCtx, "now">, { id, expiresAtMs }: UnlockProof): RateUse => {
  const nowMs = ctx.now();
  return { name: "unlockProof", subject: id, rate: { limit: 1, windowMs: expiresAtMs - nowMs }, nowMs };
};

const signedText = (ctx: Pick<Ctx, "keyring">, { share, address }: WorkSubject, terms: string): string =>
  ["unlock-work", share.short_id, share.generation, addressSubject(ctx.keyring, address), terms].join("\n");
