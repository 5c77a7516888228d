import type { Ctx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { HOUR_MS } from "../../domain/ttl.ts";

const UNLOCK_TOKEN_MS = HOUR_MS / 4;

type Unlockable = Pick<ShareRow, "short_id" | "generation">;

/** A token that unlocks a share for 15 minutes, or until its credentials change (decisions, "Identifiers and secrets"). */
export function signUnlockToken(ctx: Pick<Ctx, "keyring" | "now">, share: Unlockable): { unlockToken: string; expiresAtMs: number } {
  const expiresAtMs = ctx.now() + UNLOCK_TOKEN_MS;
  const until = expiresAtMs.toString(36);
  return { unlockToken: `ul_${until}.${ctx.keyring.sign(signedText(share, until))}`, expiresAtMs };
}

/** Whether a token was issued for the share under its present credentials, and still holds. */
export function isUnlockToken(ctx: Pick<Ctx, "keyring" | "now">, share: Unlockable, token: string): boolean {
  const [, until = "", signature = ""] = /^ul_([0-9a-z]{1,10})\.([\w-]+)$/.exec(token) ?? [];
  return ctx.keyring.verify(signedText(share, until), signature) && ctx.now() < Number.parseInt(until, 36);
}

const signedText = (share: Unlockable, until: string): string => ["unlock", share.short_id, share.generation, until].join("\n");
