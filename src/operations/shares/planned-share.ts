import type { TxCtx } from "../../context.ts";
import { type PublishInput, publishInput } from "../../contract/publish.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { type PublishRules, resolveExpiry } from "../../domain/publish.ts";
import type { ShareChange } from "../ownership/plan-share-change.ts";

/**
 * How a share will be published whose bytes are still on their way. The last word on a field holds: what `init` said, then what its owner
 * has set since, then what `complete` says (decisions, "Uploads").
 */
export interface Plan {
  readonly sessionId: string;
  readonly publish: PublishInput;
}

/** The plan for the share of a file that is being uploaded. */
export async function findPlan(ctx: TxCtx, fileId: string): Promise<Plan | undefined> {
  const session = await ctx.db
    .selectFrom("upload_sessions")
    .select(["id", "publish"])
    .where("file_id", "=", fileId)
    .where("state", "<>", "completed")
    .executeTakeFirst();
  return session && { sessionId: session.id, publish: readPlan(session.publish) };
}

export const readPlan = (kept: string): PublishInput => publishInput.parse(JSON.parse(kept));

/** The plan with what is said later; a field that is left out, or null, says nothing. A new expiry takes the place of the old one, however either was said. */
export function mergePlan(plan: PublishInput, said: PublishInput): PublishInput {
  const sent = Object.entries(publishInput.parse(said)).filter(([, value]) => value !== undefined && value !== null);
  const expiry = sent.some(([name]) => name === "ttl" || name === "expiresAt" || name === "retention") ? NO_EXPIRY : {};
  return publishInput.parse({ ...plan, ...expiry, ...Object.fromEntries(sent) });
}

const NO_EXPIRY = { ttl: null, expiresAt: null } as const;

/** The share as it would be if its bytes were all there now. Throws as `resolveExpiry`. */
export function toPlannedShare(share: ShareRow, { publish }: Plan, rules: PublishRules): ShareRow {
  const retention = publish.retention ?? "ttl";
  const expiry =
    retention === "forever"
      ? { expiresAtMs: null, expiryChosen: false }
      : resolveExpiry(publish, { ...rules, acceptedExpiresAt: publish.expiresAt });
  return {
    ...share,
    visibility: publish.visibility ?? "unlisted",
    direct: publish.direct ? 1 : 0,
    retention,
    expires_at: expiry.expiresAtMs,
    expiry_chosen: expiry.expiryChosen ? 1 : 0,
  };
}

/**
 * Writes what an owner has set into the plan, and returns what holds at once: message and price. So does protection that is set or cleared;
 * the plan says no more of it then.
 */
export async function changePlan(
  ctx: TxCtx,
  { sessionId, publish }: Plan,
  { change, setsProtection }: { change: ShareChange; setsProtection: boolean },
): Promise<ShareChange> {
  const { visibility, direct, retention, expires_at, expiry_chosen, ...atOnce } = change;
  const chosen = expiry_chosen === 1 && expires_at != null ? new Date(expires_at).toISOString() : null;
  const changed: PublishInput = {
    ...publish,
    ...(visibility && { visibility }),
    ...(direct !== undefined && { direct: direct === 1 }),
    ...(retention && { retention }),
    ...(expires_at !== undefined && { ttl: null, expiresAt: chosen }),
    ...(setsProtection && { protect: null }),
    ...(atOnce.handoff_message !== undefined && { handoffMessage: atOnce.handoff_message }),
  };
  await ctx.db
    .updateTable("upload_sessions")
    .set({ publish: JSON.stringify(changed) })
    .where("id", "=", sessionId)
    .execute();
  return atOnce;
}
