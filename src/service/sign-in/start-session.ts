import { sql } from "kysely";
import type { RequestContext, TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { newSecret, newUuid } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { SESSION_MS, SESSION_PREFIX } from "../accounts/sessions.ts";
import { addressOf } from "../accounts/users.ts";
import { asAccount, recordAudit, recordAudits } from "../audit-log/record-audit.ts";
import type { Output } from "../contract.ts";

/** Maximum number of sessions of an account. Another one ends the least recently used session (accounts, "Sessions"). */
const MAX_SESSIONS = 100;
const MAX_USER_AGENT_CHARACTERS = 300;

/** Starts a session of an account. `provedAtMs` is the time of the owner's proof: now by default, null if unknown. */
export async function startSession(
  ctx: TransactionCtx,
  { userAgent, address }: Pick<RequestContext, "userAgent" | "address">,
  owner: Pick<UserRow, "id" | "name" | "email"> & Partial<Pick<UserRow, "claimed_email">>,
  { provedAtMs }: { readonly provedAtMs?: number | null } = {},
): Promise<Output<"signIn">> {
  const nowMs = ctx.now();
  const sessionId = newUuid(ctx.random, nowMs);
  const sessionToken = newSecret(ctx.random, SESSION_PREFIX);
  await makeRoom(ctx, { userId: owner.id, address });
  await ctx.db
    .insertInto("sessions")
    .values({
      id: sessionId,
      user_id: owner.id,
      token: hashToken(sessionToken),
      expires_at: nowMs + SESSION_MS,
      user_agent: userAgent.slice(0, MAX_USER_AGENT_CHARACTERS),
      created_at: nowMs,
      updated_at: nowMs,
      proved_at: provedAtMs === undefined ? nowMs : provedAtMs,
    })
    .execute();
  await recordAudit(ctx, asAccount(owner.id, { address }), { action: "session.started", subject: sessionId, account: owner.id });
  const { id, name } = owner;
  return { sessionToken, expiresAt: toIso(nowMs + SESSION_MS), owner: { id, name, email: addressOf(owner) } };
}

async function makeRoom(ctx: TransactionCtx, { userId, address }: { readonly userId: string; readonly address: string }): Promise<void> {
  const oldest = ctx.db
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("updated_at", "desc")
    .orderBy("id", "desc")
    .limit(sql.lit(-1))
    .offset(MAX_SESSIONS - 1);
  const ended = await ctx.db.deleteFrom("sessions").where("id", "in", oldest).returning("id").execute();
  await recordAudits(
    ctx,
    asAccount(userId, { address }),
    ended.map(({ id }) => ({ action: "session.ended", subject: id, account: userId })),
  );
}
