import type { Ctx } from "../../../context.ts";
import type { PasskeyRow } from "../../../db/tables/second-factors.ts";
import { type AppError, notFound } from "../../../errors.ts";
import { toIso } from "../../../lib/text/iso-time.ts";
import { requireUser } from "../../accounts/actor.ts";
import { requireProof } from "../../accounts/proof-of-identity.ts";
import { recordAudit } from "../../audit-log/record-audit.ts";
import type { Output } from "../../contract.ts";
import { commitResponse } from "../../idempotency.ts";
import type { Operation } from "../../operation.ts";
import { mailSecurityNotice } from "../security-notice.ts";
import { requireOtherWay } from "../sign-in-methods.ts";
import { listPasskeyRows } from "./queries.ts";
import { findRelyingParty } from "./relying-party.ts";

/** `GET /auth/passkeys`: lists the account's passkeys, oldest first. */
export const listPasskeys: Operation<"listPasskeys"> = async (ctx, { actor }) => {
  const rows = await listPasskeyRows(ctx.db, requireUser(actor).userId);
  return rows.map((row) => toPasskeyView(ctx, row));
};

/** `PATCH /auth/passkeys/{id}`: renames a passkey. */
export const renamePasskey: Operation<"renamePasskey"> = async (ctx, call, { id, name }) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const row = await ctx.db
      .updateTable("passkeys")
      .set({ name })
      .where("id", "=", id)
      .where("user_id", "=", userId)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw unknown();
    await recordAudit(ctx, call, { action: "account.passkey_renamed", subject: userId, account: userId, details: { name } });
    return toPasskeyView(ctx, row);
  });
};

/** `DELETE /auth/passkeys/{id}`: removes a passkey, unless the account could not sign in without it. */
export const removePasskey: Operation<"removePasskey"> = async (ctx, call, { id }) => {
  const { userId } = requireUser(call.actor);
  requireProof(ctx, call);
  const response = await commitResponse(ctx, call, async (ctx) => {
    const row = (await listPasskeyRows(ctx.db, userId)).find((row) => row.id === id);
    if (!row) throw unknown();
    await requireOtherWay(ctx, userId, id);
    await ctx.db.deleteFrom("passkeys").where("id", "=", id).execute();
    await recordAudit(ctx, call, { action: "account.passkey_removed", subject: userId, account: userId, details: { name: row.name } });
    await mailSecurityNotice(ctx, userId, "passkeyRemoved");
    return { id };
  });
  ctx.wakeJobs();
  return response;
};

export function toPasskeyView(
  ctx: Pick<Ctx, "urls">,
  { id, name, created_at, last_used_at, rp_id }: PasskeyRow,
): Output<"listPasskeys">[number] {
  const isUsable = rp_id === findRelyingParty(ctx)?.id;
  return { id, name, createdAt: toIso(created_at), lastUsedAt: toIso(last_used_at), isUsable };
}

const unknown = (): AppError => notFound("passkey", "List them with GET /auth/passkeys.", "in your account");
