import type { Ctx, RequestContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";
import { requireUser, type UserActor } from "./actor.ts";

/** Time for which a proof of a session is valid (accounts, "Proof"). */
export const PROOF_MS = 15 * MINUTE_MS;

/** Returns the time until which the caller's session needs no other proof; undefined for a key, and for a session whose proof is too old. */
export function provedUntilMs({ now }: Pick<Ctx, "now">, { provedAtMs }: UserActor): number | undefined {
  const untilMs = provedAtMs === undefined ? 0 : provedAtMs + PROOF_MS;
  return untilMs > now() ? untilMs : undefined;
}

/**
 * Throws PROOF_REQUIRED for a session without a proof in the last 15 minutes, and for a key unless `allowsKeys` is true. Pages then ask for the proof
 * (`withPerson`).
 */
export function requireProof(
  ctx: Pick<Ctx, "now">,
  { actor }: Pick<RequestContext, "actor">,
  { allowsKeys = false }: { readonly allowsKeys?: boolean } = {},
): void {
  const user = requireUser(actor);
  if (allowsKeys && user.keyId !== null) return;
  if (provedUntilMs(ctx, user) !== undefined) return;
  throw new AppError("PROOF_REQUIRED", remedyFor(user));
}

function remedyFor({ accessTokenId, sessionId }: UserActor): string {
  if (accessTokenId !== undefined) return "An application cannot do this. The person can, in the settings of the site.";
  if (sessionId === null) return "A key cannot do this. Sign in, and send the session's token.";
  return "Prove your identity again: send your password or a passkey with POST /auth/prove or /auth/prove/passkey. Then repeat the request.";
}
