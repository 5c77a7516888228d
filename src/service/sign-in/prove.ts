import { AppError } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser } from "../accounts/actor.ts";
import { PROOF_MS } from "../accounts/proof-of-identity.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { isStillPassword, tryPassword } from "./passwords.ts";
import { countCode, hasSecondFactor, useCode } from "./second-factor.ts";
import { requireSession } from "./sessions.ts";

/** `POST /auth/prove`: proves that the account's owner uses the session of the request (accounts, "Proof"). */
export const prove: Operation<"prove"> = async (ctx, call, { password, code }) => {
  const actor = requireUser(call.actor);
  const id = requireSession(actor);
  const hash = await tryPassword(ctx, call, { userId: actor.userId, account: actor.userId, password });
  if (hash === undefined) throw wrongPassword();
  const needsCode = await hasSecondFactor(ctx.db, actor.userId);
  if (needsCode && !code)
    throw new AppError("SECOND_FACTOR_REQUIRED", "This account also needs a code. Send it with the password, in the field code.");
  if (needsCode) await countCode(ctx, call, actor.userId);
  return await commitResponse(ctx, call, async (ctx) => {
    if (!(await isStillPassword(ctx.db, actor.userId, hash))) throw wrongPassword();
    if (needsCode) await useCode(ctx, actor.userId, code ?? "");
    const nowMs = ctx.now();
    await ctx.db.updateTable("sessions").set({ proved_at: nowMs }).where("id", "=", id).execute();
    return { provedUntil: toIso(nowMs + PROOF_MS) };
  });
};

const wrongPassword = (): AppError => new AppError("FORBIDDEN", "The password is wrong. Write it again.");
