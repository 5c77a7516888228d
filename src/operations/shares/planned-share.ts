import type { TxCtx } from "../../context.ts";
import { type PublishInput, publishInput } from "../../contract/publish.ts";
import { findShare } from "../../db/shares.ts";
import type { ShareRow } from "../../db/tables/files.ts";
import { type PublishRules, resolveExpiry } from "../../domain/publish.ts";
import { parseTtl } from "../../domain/ttl.ts";
import type { ShareChange } from "../ownership/plan-share-change.ts";
import { isOwnerPro } from "./owner-pro.ts";

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

/** What the page of a share whose bytes are still arriving shows of its plan. */
export interface PlannedLimits {
  /** Milliseconds since 1970, or after the upload ends; null where the share will not expire. */
  readonly expiry: { readonly atMs: number } | { readonly afterMs: number } | null;
  readonly once: boolean;
  readonly maxDownloads: number | null;
}

/** The limits that will hold when the upload of `fileId` has ended; undefined where it has a plan no more. */
export async function findPlannedLimits(ctx: TxCtx, share: ShareRow, fileId: string): Promise<PlannedLimits | undefined> {
  const publish = (await findPlan(ctx, fileId))?.publish;
  if (!publish) return undefined;
  const shipment = publish.shareShortId ? await findShare(ctx.db, publish.shareShortId) : undefined;
  if (shipment) {
    const { expires_at, once, max_downloads } = shipment;
    return { expiry: expires_at === null ? null : { atMs: expires_at }, once: once === 1, maxDownloads: max_downloads };
  }
  const once = publish.once ?? false;
  return { expiry: await plannedExpiry(ctx, share, publish), once, maxDownloads: once ? 1 : (publish.maxDownloads ?? null) };
}

async function plannedExpiry(ctx: TxCtx, share: ShareRow, publish: PublishInput): Promise<PlannedLimits["expiry"]> {
  if (publish.retention === "forever") return null;
  if (publish.expiresAt) return { atMs: Date.parse(publish.expiresAt) };
  const ttlMs = publish.ttl ? parseTtl(publish.ttl) : undefined;
  if (ttlMs !== undefined) return { afterMs: ttlMs };
  if (await isOwnerPro(ctx, share)) return null;
  return { afterMs: ctx.config.tiers[share.owner_id === null ? "anonymous" : "free"].retentionMs };
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
