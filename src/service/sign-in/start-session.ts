import type { RequestContext, TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { newSecret, newUuid } from "../../lib/ids.ts";
import { toIso } from "../../lib/iso-time.ts";
import { hashToken } from "../../lib/secrets.ts";
import { SESSION_MS, SESSION_PREFIX } from "../accounts/sessions.ts";
import { asAccount, recordAudit } from "../audit-log/record-audit.ts";
import type { Output } from "../contract.ts";

/** Starts a session of an account. `provedAtMs`: when its owner proved who they are, now by default; null if that is not known. */
export async function startSession(
  ctx: TransactionCtx,
  { userAgent, address }: Pick<RequestContext, "userAgent" | "address">,
  owner: Pick<UserRow, "id" | "name" | "email">,
  { provedAtMs }: { readonly provedAtMs?: number | null } = {},
): Promise<Output<"signIn">> {
  const nowMs = ctx.now();
  const sessionId = newUuid(ctx.random, nowMs);
  const sessionToken = newSecret(ctx.random, SESSION_PREFIX);
  await ctx.db
    .insertInto("sessions")
    .values({
      id: sessionId,
      user_id: owner.id,
      token: hashToken(sessionToken),
      expires_at: nowMs + SESSION_MS,
      user_agent: userAgent,
      created_at: nowMs,
      updated_at: nowMs,
      proved_at: provedAtMs === undefined ? nowMs : provedAtMs,
    })
    .execute();
  await recordAudit(ctx, asAccount(owner.id, { address }), { action: "session.started", subject: sessionId, account: owner.id });
  const { id, name, email } = owner;
  return { sessionToken, expiresAt: toIso(nowMs + SESSION_MS), owner: { id, name, email } };
}
