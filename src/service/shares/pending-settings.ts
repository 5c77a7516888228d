import { type RawBuilder, sql } from "kysely";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { parseTtl } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type PublishInput, publishInput } from "./contract.ts";
import { defaultTtlMs, resolveExpiry } from "./expiry.ts";
import { type PublishRules, resolveMaxDownloads, toTitle } from "./publish-settings.ts";
import { findShare } from "./queries.ts";
import type { ShareChange } from "./share-change.ts";
import { isOwnerPro } from "./share-state.ts";

/**
 * The settings with which a share will be published when its upload completes. For each field the latest value applies: from `init`, from the owner's
 * later changes, or from `complete` (sharing, "Changing a share").
 */
export interface PendingSettings {
  readonly sessionId: string;
  readonly publish: PublishInput;
}

/** Finds the pending settings of a file that is being uploaded; undefined once the upload has completed. */
export async function findPendingSettings(ctx: Pick<Ctx, "db">, fileId: string): Promise<PendingSettings | undefined> {
  const session = await ctx.db
    .selectFrom("upload_sessions")
    .select(["id", "publish_fields"])
    .where("file_id", "=", fileId)
    .where("state", "<>", "completed")
    .executeTakeFirst();
  return session && { sessionId: session.id, publish: parsePendingSettings(session.publish_fields) };
}

/** Parses the publish fields that an upload session stores as JSON. */
export const parsePendingSettings = (json: string): PublishInput => publishInput.parse(JSON.parse(json));

/** The SQL that tells whether the column `publish_fields` of any table asks for a public share. */
export const WANTS_PUBLIC_SHARE = sql<boolean>`publish_fields ->> 'visibility' = 'public'`;
/** The SQL of the column `publish_fields` for an unlisted share. */
export const FIELDS_MADE_UNLISTED: RawBuilder<string> = sql`json_set(publish_fields, '$.visibility', 'unlisted', '$.retention', 'ttl')`;

/**
 * Merges later publish fields into pending ones. A field that is absent or null changes nothing; a new expiry replaces the old one in any form, and
 * `protect: false` also removes the password.
 */
export function mergeSettings(pending: PublishInput, later: PublishInput): PublishInput {
  const sent = Object.entries(publishInput.parse(later)).filter(([, value]) => value !== undefined && value !== null);
  const expiry = sent.some(([name]) => name === "ttl" || name === "expiresAt" || name === "retention") ? NO_EXPIRY : {};
  const password = later.protect === false ? { passwordHash: null } : {};
  return publishInput.parse({ ...pending, ...expiry, ...password, ...Object.fromEntries(sent) });
}

const NO_EXPIRY = { ttl: null, expiresAt: null } as const;

/** Returns the share as it would be if its upload completed now. Throws as `resolveExpiry` does. */
export function toPendingShare(share: ShareRow, { publish }: PendingSettings, rules: PublishRules): ShareRow {
  const expiry = resolveExpiry(publish, { ...rules, acceptedExpiresAt: publish.expiresAt });
  return {
    ...share,
    visibility: publish.visibility ?? "unlisted",
    direct: publish.direct ? 1 : 0,
    retention: publish.retention ?? "ttl",
    expires_at: expiry.expiresAtMs,
    is_expiry_chosen: expiry.expiryChosen ? 1 : 0,
    once: publish.once ? 1 : 0,
    max_downloads: resolveMaxDownloads(publish),
    notify: publish.notify == null ? null : Number(publish.notify),
    title: toTitle(publish.title),
    message: publish.message || null,
  };
}

/** The limits of a share whose upload is not complete, as its page shows them. */
export interface PendingLimits {
  /** The expiry, in milliseconds since 1970 or after the upload completes; null if the share will not expire. */
  readonly expiry: { readonly atMs: number } | { readonly afterMs: number } | null;
  readonly once: boolean;
  readonly maxDownloads: number | null;
}

/** Finds the limits that apply once the upload of `fileId` completes; undefined if it has completed. */
export async function findPendingLimits(
  ctx: Pick<Ctx, "config" | "db" | "now">,
  share: ShareRow,
  fileId: string,
): Promise<PendingLimits | undefined> {
  const publish = (await findPendingSettings(ctx, fileId))?.publish;
  if (!publish) return undefined;
  const shipment = publish.shareShortId ? await findShare(ctx.db, publish.shareShortId) : undefined;
  if (shipment) {
    const { expires_at, once, max_downloads } = shipment;
    return { expiry: expires_at === null ? null : { atMs: expires_at }, once: once === 1, maxDownloads: max_downloads };
  }
  const expiry = await resolvePendingExpiry(ctx, share, publish);
  return { expiry, once: publish.once ?? false, maxDownloads: resolveMaxDownloads(publish) };
}

async function resolvePendingExpiry(
  ctx: Pick<Ctx, "config" | "db" | "now">,
  share: ShareRow,
  publish: PublishInput,
): Promise<PendingLimits["expiry"]> {
  if (publish.retention === "forever") return null;
  if (publish.expiresAt) return { atMs: Date.parse(publish.expiresAt) };
  const ttlMs = (publish.ttl ? parseTtl(publish.ttl) : undefined) ?? (await findDefaultTtlMs(ctx, share));
  return ttlMs === null ? null : { afterMs: ttlMs };
}

async function findDefaultTtlMs(ctx: Pick<Ctx, "config" | "db" | "now">, share: ShareRow): Promise<number | null> {
  const accountTier = (await isOwnerPro(ctx, share)) ? "pro" : "free";
  const tier = share.owner_id === null ? "anonymous" : accountTier;
  return defaultTtlMs(tier, ctx.config.tiers[tier]);
}

/**
 * Writes an owner's change into the pending settings. Resolves to the columns that apply immediately: title, messages and price. Protection applies
 * immediately too, so it is cleared from the pending settings.
 */
export async function updatePendingSettings(
  ctx: TransactionCtx,
  { sessionId, publish }: PendingSettings,
  { change, setsProtection }: { change: ShareChange; setsProtection: boolean },
): Promise<ShareChange> {
  const { visibility, direct, retention, expires_at, is_expiry_chosen, once, max_downloads, ...immediate } = change;
  const chosen = is_expiry_chosen === 1 && expires_at != null ? toIso(expires_at) : null;
  const changed: PublishInput = {
    ...publish,
    ...(visibility && { visibility }),
    ...(direct !== undefined && { direct: direct === 1 }),
    ...(retention && { retention }),
    ...(expires_at !== undefined && { ttl: null, expiresAt: chosen }),
    ...(max_downloads !== undefined && { once: once === 1, maxDownloads: once === 1 ? null : max_downloads }),
    ...(setsProtection && { protect: null, passwordHash: null }),
    ...(immediate.handoff_message !== undefined && { handoffMessage: immediate.handoff_message }),
    ...(immediate.notify !== undefined && { notify: immediate.notify === null ? null : immediate.notify === 1 }),
    ...(immediate.title !== undefined && { title: immediate.title }),
    ...(immediate.message !== undefined && { message: immediate.message }),
  };
  await ctx.db
    .updateTable("upload_sessions")
    .set({ publish_fields: JSON.stringify(changed) })
    .where("id", "=", sessionId)
    .execute();
  return immediate;
}
