import type { AdministratorCall, Ctx, RequestContext } from "../../context.ts";
import type { TransactionDb } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { requireUser } from "./actor.ts";
import { checkCredential, isCredentialLive } from "./credential.ts";
import { requireProof } from "./proof-of-identity.ts";

/** The call of a command on this machine. */
export const THIS_MACHINE: AdministratorCall = { actor: { kind: "machine" }, address: "", channel: "command", userAgent: "" };

/**
 * Throws unless the caller may administer (administration, "Access"): UNAUTHENTICATED without a key, FORBIDDEN if the account is not an
 * administrator's, INSUFFICIENT_SCOPE for a key that may not administer and for applications, PROOF_REQUIRED for a session without a recent proof.
 */
function requireAdministrator(ctx: Pick<Ctx, "now">, call: Pick<RequestContext, "actor">): void {
  const { isAdministrator, isAdminKey, keyId, accessTokenId } = requireUser(call.actor);
  if (!isAdministrator) throw notAdministrator();
  if (accessTokenId !== undefined)
    throw new AppError(
      "INSUFFICIENT_SCOPE",
      "Applications may not administer. Sign in, or use a key made with `filehost keys create --admin`.",
    );
  if (keyId !== null && !isAdminKey)
    throw new AppError(
      "INSUFFICIENT_SCOPE",
      "This key may not administer. Sign in, or use a key made with `filehost keys create --admin`.",
    );
  requireProof(ctx, call, { allowsKeys: true });
}

/**
 * Returns the context for an administrator's call. Each of its transactions checks the caller's role and credential again, throws FORBIDDEN or
 * UNAUTHENTICATED if they have ended, and then changes nothing; a call that ends its own rights is completed.
 */
export function asAdministrator(ctx: Ctx, call: Pick<RequestContext, "actor">): Ctx {
  requireAdministrator(ctx, call);
  const { userId } = requireUser(call.actor);
  let hasEndedOwn = false;
  return {
    ...ctx,
    get config() {
      return ctx.config;
    },
    async transaction(work) {
      let endsOwn = hasEndedOwn;
      const result = await ctx.transaction(async (ctx) => {
        if (hasEndedOwn) return await work(ctx);
        if (!(await isAdministrator(ctx.db, userId))) throw notAdministrator();
        await checkCredential(ctx, call.actor);
        const result = await work(ctx);
        endsOwn = !(await isAdministrator(ctx.db, userId)) || !(await isCredentialLive(ctx, call.actor));
        return result;
      });
      hasEndedOwn = endsOwn;
      return result;
    },
  };
}

async function isAdministrator(db: TransactionDb, userId: string): Promise<boolean> {
  const user = await db.selectFrom("users").select(["role", "disabled_at"]).where("id", "=", userId).executeTakeFirst();
  return user?.role === "admin" && user.disabled_at === null;
}

const notAdministrator = (): AppError => new AppError("FORBIDDEN", "Only administrators of this server may do this. Ask one of them.");

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
