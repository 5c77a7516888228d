import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { type Actor, requireUser } from "../accounts/actor.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import type { Input } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { checkBuyers } from "../selling/buyers.ts";
import { encryptedSale } from "../selling/encrypted-sale.ts";
import { countUsedOrReserved } from "../selling/reservations.ts";
import { checkReadyToSell, findFee } from "../selling/sellers.ts";
import { countAliasRequest, removeAliases, setAlias } from "../shares/aliases.ts";
import { getChangeableShare } from "../shares/changeable-share.ts";
import { protectShare } from "../shares/credentials.ts";
import { replaceLineage, validateLineage } from "../shares/lineage.ts";
import { countOtherLinks } from "../shares/other-links.ts";
import { findPendingSettings, toPendingShare, updatePendingSettings } from "../shares/pending-settings.ts";
import { type ExpiryColumns, findLatestExpiryMs, limitExpiry, withProExpiry } from "../shares/pro-limits.ts";
import { type PublishRules, toTitle } from "../shares/publish-settings.ts";
import { listShareFiles } from "../shares/queries.ts";
import { resolveShareChange, type ShareChange } from "../shares/share-change.ts";
import { type Sealed, sealPassword, unlockKind } from "../shares/share-password.ts";
import { leastAdvancedStatus, toScanStatus, toShareState } from "../shares/share-state.ts";
import { endSignedUrls, limitDownloads } from "./limit-downloads.ts";

type SentSettings = Input<"updateShareSettings">;
/** The settings of a call, with the hash of a password in place of the password. */
type Settings = Sealed<SentSettings>;

/** `PATCH /files/share-settings`: changes the settings of a share, with its owner's key or its claim token (sharing, "Changing a share"). */
export const updateShareSettings: Operation<"updateShareSettings"> = async (ctx, call, sent) => {
  // Refuses a caller without the right before a password is hashed, and does not count the alias that the share has already.
  const present = sent.password || sent.alias ? await ctx.transaction((ctx) => getChangeableShare(ctx, call, sent)) : undefined;
  if (sent.alias && sent.alias !== present?.share.alias) await countAliasRequest(ctx, call.actor);
  const input = await sealPassword(ctx, call, sent);
  return await commitResponse(ctx, call, async (ctx) => {
    const { share: row, files, fileId, rules } = await getChangeableShare(ctx, call, input);
    const [file] = files;
    const pending = row.kind === "file" && file?.blob_state === "uploading" ? await findPendingSettings(ctx, file.id) : undefined;
    const share = pending ? toPendingShare(row, pending, rules) : withProExpiry(row);
    if (row.is_private === 1) checkPrivate(sent);
    if (pending?.publish.shareShortId) checkJoining(sent);
    const active = (await listShareFiles(ctx.db, share.short_id)).filter((file) => file.status === "active");
    const isImmutable = active.some((file) => staysImmutable(file, files, input));
    if (isImmutable && changesImmutable(input, share)) throw immutableError();
    if (input.priceCents) await checkReadyToSell(ctx, row.owner_id);
    if (input.priceCents && active.some(({ is_encrypted }) => is_encrypted === 1)) throw encryptedSale();
    const wanted = resolveShareChange({ input, share, ...rules });
    if (isImmutable && (expiresSooner(wanted.expires_at, share) || limitsMore(wanted.max_downloads, share))) throw immutableError();
    await checkChange(ctx, { input, share: row, wanted });
    const setsProtection = typeof input.protect === "boolean";
    const change = pending
      ? await updatePendingSettings(ctx, pending, { change: wanted, setsProtection })
      : await limitChange(ctx, { actor: rules.actor, share: row, wanted });
    if (Object.keys(change).length > 0) await ctx.db.updateTable("shares").set(change).where("short_id", "=", share.short_id).execute();
    const { max_downloads, price_cents } = change;
    // Ends the signed URLs that were issued without payment when the share gets its first price.
    if (price_cents != null && row.price_cents === null) await endSignedUrls(ctx, share.short_id);
    if (max_downloads !== undefined && max_downloads !== row.max_downloads) await limitDownloads(ctx, share.short_id, max_downloads);
    await updateFiles(ctx, rules.actor, files, input);
    if (input.alias) await setAlias(ctx, rules.actor, row, input.alias);
    else if (input.alias === null) await removeAliases(ctx, [share.short_id]);
    const credentials =
      typeof input.protect === "boolean"
        ? await protectShare(ctx, share.short_id, { protect: input.protect, passwordHash: input.passwordHash })
        : {};
    const details = toDetails(sent);
    // A call without a setting only reads the settings, as the page of a sender does.
    if (Object.values(details).some((value) => value !== undefined))
      await recordAudit(ctx, call, { action: "share.changed", subject: share.short_id, account: row.owner_id, details });
    const after = await ctx.db.selectFrom("shares").selectAll().where("short_id", "=", share.short_id).executeTakeFirstOrThrow();
    const otherLinks = row.owner_id === null ? undefined : await countOtherLinks(ctx, [share.short_id]);
    return {
      fileId,
      shortId: share.short_id,
      state: toShareState(ctx, after),
      otherLinks: otherLinks?.get(share.short_id) ?? 0,
      ...toSettings({ ...share, ...wanted, ...change }, rules),
      alias: after.alias,
      scanStatus: leastAdvancedStatus(active.map(toScanStatus)),
      uploading: active.some((file) => file.blob_state === "uploading"),
      downloads: Math.max(0, ...active.map((file) => file.download_count)),
      immutable: active.some((file) =>
        typeof input.immutable === "boolean" && isNamed(file, files) ? input.immutable : file.immutable === 1,
      ),
      encrypted: active.some(({ is_encrypted }) => is_encrypted === 1),
      sellingFee: (await findFee(ctx, row.owner_id ?? undefined)) ?? null,
      unlockRequired: after.unlock_hash !== null,
      unlockKind: unlockKind(after),
      ...credentials,
    };
  });
};

/** Throws HAS_BUYERS for an unforced change that removes what buyers have paid for. */
async function checkChange(
  ctx: TransactionCtx,
  { input: { force }, share, wanted }: { readonly input: Settings; readonly share: ShareRow; readonly wanted: ShareChange },
): Promise<void> {
  if (expiresSooner(wanted.expires_at, share))
    await checkBuyers(ctx, { shortIds: [share.short_id] }, { force, loses: "time to download what they paid for" });
  const { max_downloads } = wanted;
  // The downloads of buyers that a new limit ends are signed again.
  if (
    limitsMore(max_downloads, share) &&
    (share.max_downloads === null || (max_downloads ?? 0) < (await countUsedOrReserved(ctx, share.short_id)))
  )
    await checkBuyers(ctx, { shortIds: [share.short_id] }, { force, loses: "downloads that they paid for" });
}

/** Settings that a private share cannot have, because its owner shares its files with a separate share (requests, "Sharing what you received"). */
const NOT_OF_PRIVATE = [
  "visibility",
  "direct",
  "retention",
  "password",
  "protect",
  "handoffMessage",
  "title",
  "message",
  "maxDownloads",
  "once",
  "priceCents",
  "priceThumbnails",
  "alias",
] as const;

function checkPrivate(input: SentSettings): void {
  const field = NOT_OF_PRIVATE.find((name) => input[name] != null);
  if (field)
    throw new AppError("CONFLICT", `These files are not shared, so ${field} has no meaning. Share them first with POST /files/share.`);
}

/** Settings that a file cannot have when it joins a shipment: its own share ends, and the settings of the shipment apply. */
const NOT_OF_JOINING = [...NOT_OF_PRIVATE, "expiresAt", "extendTtl", "notify"] as const;

function checkJoining(input: SentSettings): void {
  const field = NOT_OF_JOINING.find((name) => input[name] != null);
  if (field)
    throw new AppError("CONFLICT", `This file joins a shipment when its upload completes. Set ${field} for the shipment, by its shortId.`);
}

/** The settings whose values the audit log records. */
const RECORDED = [
  "visibility",
  "retention",
  "direct",
  "once",
  "maxDownloads",
  "expiresAt",
  "extendTtl",
  "immutable",
  "protect",
  "notify",
  "priceCents",
  "priceThumbnails",
] as const satisfies readonly (keyof SentSettings)[];

/** The settings that people wrote, which may contain secrets or open a share, and lists: the audit log records only that they were sent. */
const WRITTEN = [
  "title",
  "message",
  "handoffMessage",
  "password",
  "alias",
  "upstreamFileIds",
] as const satisfies readonly (keyof SentSettings)[];

/** Returns the details of a change for the audit log. */
const toDetails = (input: SentSettings): Record<string, string | number | boolean | null | undefined> =>
  Object.fromEntries([
    ...RECORDED.map((name) => [name, input[name]]),
    ...WRITTEN.map((name) => [name, isChanged(name, input[name]) ? true : undefined]),
  ]);

/** Returns whether a setting was sent that changes something. Null removes what people wrote, but leaves the protection as it is. */
const isChanged = (name: (typeof WRITTEN)[number], value: unknown): boolean =>
  value !== undefined && !(name === "password" && value === null);

/** Returns the settings in the response. */
const toSettings = (share: ShareRow, { limits, nowMs, latestMs }: PublishRules) => ({
  visibility: share.visibility,
  title: share.title,
  message: share.message,
  expiresAt: toIso(share.expires_at),
  latestExpiresAt: toIso(latestMs ?? nowMs + limits.retentionMs),
  handoffMessage: share.handoff_message,
  retention: share.retention,
  direct: share.direct === 1,
  maxDownloads: share.max_downloads,
  priceCents: share.price_cents,
  priceThumbnails: share.price_thumbnails === 1,
  notify: share.notify === null ? null : share.notify === 1,
});

/** Records that a Pro account chose a new expiry, and limits it if Pro has ended (see `findLatestExpiryMs`). */
async function limitChange(
  ctx: TransactionCtx,
  { actor, share, wanted }: { readonly actor: Actor; readonly share: ShareRow; readonly wanted: ShareChange },
): Promise<ShareChange & Partial<ExpiryColumns & Pick<ShareRow, "ends_with_pro">>> {
  const { expires_at, is_expiry_chosen = share.is_expiry_chosen } = wanted;
  if (expires_at === undefined) return wanted;
  const ends_with_pro = actor.tier === "pro" ? 1 : share.ends_with_pro;
  const latestMs = await findLatestExpiryMs(ctx, { owner_id: share.owner_id, ends_with_pro });
  return { ...wanted, ...limitExpiry({ expires_at, is_expiry_chosen }, latestMs), ends_with_pro };
}

/** Returns whether a file of the share stays immutable. An immutable file protects the share's settings even if the call names another file. */
const staysImmutable = ({ id, immutable }: FileRow, named: readonly FileRow[], input: Settings): boolean =>
  immutable === 1 && !(input.immutable === false && isNamed({ id }, named));

const isNamed = ({ id }: Pick<FileRow, "id">, named: readonly FileRow[]): boolean => named.some((file) => file.id === id);

/**
 * Returns whether the input changes a setting that an immutable file fixes: all except `immutable`, protection, a later expiry and a higher limit. An
 * equal value is no change.
 */
const changesImmutable = (input: Settings, share: ShareRow): boolean =>
  (input.visibility != null && input.visibility !== share.visibility) ||
  (input.retention != null && input.retention !== share.retention) ||
  (typeof input.direct === "boolean" && input.direct !== (share.direct === 1)) ||
  (input.priceCents != null && input.priceCents !== (share.price_cents ?? 0)) ||
  (input.priceThumbnails !== undefined && input.priceThumbnails !== (share.price_thumbnails === 1)) ||
  // The message of the handoff link belongs to the protection, so it may change together with new credentials.
  (input.handoffMessage !== undefined && input.protect !== true && (input.handoffMessage || null) !== share.handoff_message) ||
  (input.title !== undefined && toTitle(input.title) !== share.title) ||
  (input.message !== undefined && (input.message || null) !== share.message) ||
  input.upstreamFileIds != null;

const expiresSooner = (expiresAtMs: number | null | undefined, share: ShareRow): boolean =>
  expiresAtMs != null && (share.expires_at === null || expiresAtMs < share.expires_at);

const limitsMore = (maxDownloads: number | null | undefined, share: ShareRow): boolean =>
  maxDownloads != null && (share.max_downloads === null || maxDownloads < share.max_downloads);

const immutableError = (): AppError =>
  new AppError(
    "IMMUTABLE",
    "This file is immutable. Set immutable to false first, or change only its protection, a later expiry or a higher limit.",
  );

async function updateFiles(
  ctx: TransactionCtx,
  actor: Actor,
  files: readonly FileRow[],
  { immutable, upstreamFileIds }: Settings,
): Promise<void> {
  const ids = files.map((file) => file.id);
  if (typeof immutable === "boolean" && ids.length > 0) {
    await ctx.db
      .updateTable("files")
      .set({ immutable: immutable ? 1 : 0 })
      .where("id", "in", inJson(ids))
      .execute();
  }
  if (!upstreamFileIds) return;
  const upstream = [...new Set(upstreamFileIds)];
  await validateLineage(ctx, requireUser(actor), ids, upstream);
  await replaceLineage(ctx, ids, upstream);
}
