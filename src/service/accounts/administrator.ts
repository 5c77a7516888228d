import type { Ctx, RequestContext } from "../../context.ts";
import type { TransactionDb } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { requireUser } from "./actor.ts";
import { requireProof } from "./proof.ts";

/**
 * Throws unless the caller may administer (administration, "Access"): UNAUTHENTICATED without a key, FORBIDDEN if the account is not an
 * administrator's, INSUFFICIENT_SCOPE for a key that may not administer, PROOF_REQUIRED for a session without a recent proof.
 */
export function requireAdministrator(ctx: Pick<Ctx, "now">, call: Pick<RequestContext, "actor">): void {
  const { isAdministrator, isAdminKey, keyId } = requireUser(call.actor);
  if (!isAdministrator) throw new AppError("FORBIDDEN", "Only administrators of this server may do this. Ask one of them.");
  if (keyId !== null && !isAdminKey)
    throw new AppError(
      "INSUFFICIENT_SCOPE",
      "This key may not administer. Sign in, or use a key made with `filehost keys create --admin`.",
    );
  requireProof(ctx, call, { allowsKeys: true });
}

/** Throws CONFLICT with advice if no other account could administer. */
export async function checkOtherAdministrator(db: TransactionDb, userId: string, advice: string): Promise<void> {
  const other = await db
    .selectFrom("users")
    .select("id")
    .where("role", "=", "admin")
    .where("disabled_at", "is", null)
    .where("id", "<>", userId)
    .limit(1)
    .executeTakeFirst();
  if (!other) throw new AppError("CONFLICT", `This is the only administrator's account. ${advice}`);
}
