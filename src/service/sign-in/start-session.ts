import type { Ctx, RequestContext } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { newSecret, newUuid } from "../../lib/ids.ts";
import { toIso } from "../../lib/iso-time.ts";
import { hashToken } from "../../lib/secrets.ts";
import { SESSION_MS, SESSION_PREFIX } from "../accounts/sessions.ts";
import type { Output } from "../contract.ts";

/** Starts a session of an account whose owner has just proved who they are. */
export async function startSession(
  { db, now, random }: Pick<Ctx, "db" | "now" | "random">,
  { userAgent }: Pick<RequestContext, "userAgent">,
  owner: Pick<UserRow, "id" | "name" | "email">,
): Promise<Output<"signIn">> {
  const nowMs = now();
  const sessionToken = newSecret(random, SESSION_PREFIX);
  await db
    .insertInto("sessions")
    .values({
      id: newUuid(random, nowMs),
      user_id: owner.id,
      token: hashToken(sessionToken),
      expires_at: nowMs + SESSION_MS,
      user_agent: userAgent,
      created_at: nowMs,
      updated_at: nowMs,
      proved_at: nowMs,
    })
    .execute();
  const { id, name, email } = owner;
  return { sessionToken, expiresAt: toIso(nowMs + SESSION_MS), owner: { id, name, email: email ?? "" } };
}
