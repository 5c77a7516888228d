import type { TransactionCtx } from "../../context.ts";
import { AppError, invalidField, notFound } from "../../errors.ts";
import { SHIPMENT_NAME } from "../../lib/formats/archive-names.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser, type UserActor } from "../accounts/actor.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import type { Output } from "../contract.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { checkBuyers } from "../selling/buyers.ts";
import { encryptedSale } from "../selling/encrypted-sale.ts";
import { countAliasRequest, toLinks } from "../shares/aliases.ts";
import type { SentPublish } from "../shares/contract.ts";
import { insertShare } from "../shares/create-share.ts";
import { findSentField, type PublishSettings, resolvePublishSettings } from "../shares/publish-settings.ts";
import { nameShipment } from "../shares/read-publish.ts";
import { sealPassword } from "../shares/share-password.ts";
import { getOpenShipment, getShipment } from "../shares/shipment.ts";
import { type ChosenFiles, listChosenFiles } from "./chosen-files.ts";
import { checkMutable } from "./delete-file.ts";
import { closeSharesIfEmpty, endFilesOnly, REMOVE_NOW } from "./end-file.ts";
import { type ChosenPlace, placeFiles, readChosenPlaces, splitPlaces } from "./place-files.ts";
import { fileIdOf } from "./places.ts";

/**
 * `POST /files/share`: gives files of the account a place in one new share, or in a shipment of the account. Files that nobody has shared yet, and
 * with `move` all files, leave their present share (sharing, "Sharing files with one link").
 */
export const shareFiles: Operation<"shareFiles"> = async (ctx, call, input) => {
  const { fileIds, folderIds, move, force, shareShortId, ...settings } = await nameShipment(ctx.db, input);
  const owner = requireUser(call.actor);
  const limits = ctx.config.tiers[owner.tier];
  if (shareShortId) checkJoining({ move, ...settings });
  const publish = resolvePublishSettings(await sealPassword(ctx, call, settings), { actor: owner, limits, nowMs: ctx.now() });
  if (publish.alias !== null) await countAliasRequest(ctx, owner);
  return await commitResponse(ctx, call, async (ctx) => {
    const chosen = await listChosenFiles(ctx, owner.userId, { fileIds, folderIds });
    if (shareShortId) return await addToShipment(ctx, call, { owner, chosen, shortId: shareShortId });
    return await shareAnew(ctx, call, { owner, publish, chosen, move, force });
  });
};

/** Throws VALIDATION_FAILED for `move` and for settings, because a shipment that files join keeps its settings. */
function checkJoining({ move, ...settings }: SentPublish & { readonly move: boolean | undefined }): void {
  if (move) throw invalidField("move", "Files that are added to a share stay in the shares that they are in. Omit move.");
  const field = findSentField(settings);
  if (field)
    throw invalidField(field, "The share that the files are added to keeps its settings. Change them with PATCH /files/share-settings.");
}

interface Sharing {
  readonly owner: UserActor;
  readonly chosen: ChosenFiles;
}

interface NewSharing extends Sharing {
  readonly publish: PublishSettings;
  readonly move: boolean | undefined;
  readonly force: boolean | undefined;
}

/** Gives files a new share. Throws IMMUTABLE or HAS_BUYERS for files that cannot leave their share. */
async function shareAnew(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { owner, publish, chosen, move, force }: NewSharing,
): Promise<Output<"shareFiles">> {
  const places = splitPlaces(await readChosenPlaces(ctx.db, [...chosen.files.keys()]), { chosen, move });
  const isShared = ({ is_private }: ChosenPlace): boolean => is_private === 0;
  const repeats = move ? (await readChosenPlaces(ctx.db, chosen.repeats)).filter(isShared) : [];
  const leaving = [...places.moved.filter(isShared), ...repeats];
  if (leaving.some(({ immutable }) => immutable === 1))
    throw new AppError("IMMUTABLE", "A chosen file is immutable, so it stays in its share. Omit move, set immutable to false, or omit it.");
  if (!force)
    await checkMutable(
      ctx,
      repeats.map(({ id, immutable }) => ({ id, immutable, status: "active" as const })),
      [],
    );
  const left = [...new Set(leaving.map(({ short_id }) => short_id))];
  await checkBuyers(ctx, { shortIds: left }, { force, loses: "what they paid for" });
  const [only, second] = [...places.moved, ...places.added];
  const output = await insertShare(
    ctx,
    owner,
    publish,
    only && !second ? { kind: "file", name: only.owner_name ?? only.name } : { kind: "shipment", name: SHIPMENT_NAME },
  );
  await placeFiles(ctx, { owner, shortId: output.shortId, chosen, ...places });
  await raiseCredentialsVersion(ctx, places.moved, output.shortId);
  await endFilesOnly(ctx, repeats, { status: "deleted", removeAtMs: REMOVE_NOW });
  const details = { files: places.moved.length + places.added.length };
  await recordAudit(ctx, origin, { action: "share.created", subject: output.shortId, account: owner.userId, details });
  const closed = await closeSharesIfEmpty(ctx, left, "deleted", { isOpen: true });
  for (const subject of closed) await recordAudit(ctx, origin, { action: "share.closed", subject, account: owner.userId });
  return output;
}

/** Ends the signed URLs that were issued for the files' previous shares, because URLs of an unlimited share have no grants. */
async function raiseCredentialsVersion({ db }: TransactionCtx, files: readonly ChosenPlace[], shortId: string): Promise<void> {
  if (files.length === 0) return;
  const credentials_version = 1 + files.reduce((highest, file) => Math.max(highest, file.credentials_version), 0);
  await db.updateTable("shares").set({ credentials_version }).where("short_id", "=", shortId).execute();
}

/**
 * Adds files to a shipment of the account, except those that are in it. Signed URLs of the shipment stay valid, and those of files that were received
 * are their owner's. Throws as `getShipment` does, and CONFLICT for encrypted files if the shipment has a price.
 */
async function addToShipment(
  ctx: TransactionCtx,
  origin: AuditOrigin,
  { owner, chosen, shortId }: Sharing & { readonly shortId: string },
): Promise<Output<"shareFiles">> {
  const shipment = { shortId, token: null };
  const share = await getOpenShipment(ctx, owner, shipment);
  if (share.is_private === 1) throw notFound("shipment", "Use the short ID of an open shipment.", "in your account");
  const inside = await listFilesInside(ctx, share.short_id);
  const others = (await readChosenPlaces(ctx.db, [...chosen.files.keys()])).filter((place) => !inside.has(fileIdOf(place)));
  const places = splitPlaces(others, { chosen });
  const joining = [...places.moved, ...places.added];
  await getShipment(ctx, owner, shipment, joining.length);
  if (share.price_cents !== null && joining.some(({ is_encrypted }) => is_encrypted === 1)) throw encryptedSale();
  await placeFiles(ctx, { owner, shortId: share.short_id, chosen, ...places });
  const details = { files: joining.length };
  await recordAudit(ctx, origin, { action: "share.changed", subject: share.short_id, account: owner.userId, details });
  return {
    shortId: share.short_id,
    ...toLinks(ctx, share),
    expiresAt: toIso(share.expires_at),
  };
}

/** Lists the IDs, as `fileIdOf` returns them, of the files with an active place in a share. */
async function listFilesInside({ db }: TransactionCtx, shortId: string): Promise<ReadonlySet<string>> {
  const places = await db
    .selectFrom("files")
    .select(["id", "origin_id"])
    .where("short_id", "=", shortId)
    .where("status", "=", "active")
    .execute();
  return new Set(places.map(fileIdOf));
}
