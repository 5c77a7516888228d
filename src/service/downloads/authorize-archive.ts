import type { Ctx, RequestContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { type SignedToken, signToken, verifyToken } from "../../lib/secrets/signed-token.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import type { Input } from "../contract.ts";
import { isLimited, isReady } from "../files/viewable.ts";
import type { Operation } from "../operation.ts";
import { type BegunDownload, listBegun, movePurchased } from "../selling/sales.ts";
import { type FoundShare, findLinkedShare, findShare, isEmptyShipment } from "../shares/queries.ts";
import { isOpenTo, shareNotFound } from "../shares/share-state.ts";
import { checkUnlocked } from "../shares/unlock.ts";
import { chooseByIds, encodeSelection } from "./archive-selection.ts";
import { type CountingCtx, type CountOptions, countingDownloads } from "./count-downloads.ts";
import { checkAvailable, checkReady, DOWNLOAD_URL_MS, fileNotFound, MAX_AUTHORIZATIONS, shareChanging } from "./download-rules.ts";
import { checkPaid, findProvenPurchase, isStillPaid } from "./paid.ts";
import { type ArchivableFile, archiveGrantId, archiveIdOf, listArchivable, moveGrants, type SharePolicy } from "./queries.ts";

/** Files of an archive that count as one request against the general rate limit. */
const FILES_PER_REQUEST = 100;

/** `GET /files/share/{shortId}/archive`: counts a download of each clean file, or of the chosen ones, and returns the signed URL of one ZIP. */
export const authorizeArchive: Operation<"authorizeArchive"> = async (ctx, call, { shortId, fileIds, folder, ...credentials }) => {
  for (let attempt = 1; attempt <= MAX_AUTHORIZATIONS; attempt += 1) {
    const issuedAtMs = ctx.now();
    const { share, listed, ready, purchase } = await findReady(ctx, call, { shortId, fileIds, folder, ...credentials });
    if (attempt === 1) call.countRequests?.(Math.ceil(ready.length / FILES_PER_REQUEST));
    const selection = fileIds || folder ? encodeSelection(listed, ready, issuedAtMs) : "";
    const url = await countAndSign(ctx, call, { share, files: ready, issuedAtMs, selection, purchaseId: purchase?.id ?? "" });
    if (url !== undefined) return { success: true, url };
  }
  throw shareChanging();
};

/** The archive that a caller would get: counts nothing, and throws what `authorizeArchive` throws. */
export async function getArchive(ctx: Ctx, call: RequestContext, request: Input<"authorizeArchive">): Promise<ShownArchive> {
  const { share, ready } = await findReady(ctx, call, request);
  return { share, files: ready };
}

export interface ShownArchive {
  readonly share: FoundShare;
  readonly files: readonly ArchivableFile[];
}

/** Decides which files a caller may have now. Counts nothing. */
async function findReady(ctx: Ctx, call: RequestContext, { shortId, fileIds, folder, ...credentials }: Input<"authorizeArchive">) {
  const { share, files: available, listed } = await getAvailable(ctx, call.actor, shortId);
  const purchase = await findProvenPurchase(ctx, share, credentials);
  if (!purchase) await checkUnlocked(ctx, call, share, credentials);
  checkPaid(ctx, call.actor, share, purchase);
  const begun = purchase && isLimited(share) ? await listBegunRecorded(ctx, purchase.id) : NONE;
  const files = chooseByIds(available, { fileIds, folder }).filter((file) => canBeSent(file, begun.get(file.id)));
  if (files.length === 0 && begun.size > 0) throw fileNotFound();
  return { share, listed, ready: filterReady(files), purchase };
}

const NONE: ReadonlyMap<string, BegunDownload> = new Map();

/** The downloads that a purchase has begun. A buyer has a response a moment before its end is recorded, and may ask again immediately. */
async function listBegunRecorded(ctx: Ctx, purchaseId: string): Promise<ReadonlyMap<string, BegunDownload>> {
  const begun = await listBegun(ctx, purchaseId);
  const open = [...begun].flatMap(([fileId, { grantId }]) => (grantId === null ? [] : [archiveIdOf(grantId, fileId) ?? grantId]));
  for (const id of new Set(open)) await ctx.downloads.whenFlushed(id);
  return open.length === 0 ? begun : await listBegun(ctx, purchaseId);
}

/** Whether an archive can have a file whose one download a buyer may have begun: it has not ended, and the file can be sent whole. */
const canBeSent = (file: ArchivableFile, begun: BegunDownload | undefined): boolean =>
  begun === undefined || (begun.grantId !== null && begun.budgetBytes >= file.size_bytes);

interface AvailableFiles {
  readonly share: FoundShare;
  /** The files that are not blocked. */
  readonly files: readonly ArchivableFile[];
  /** All files of the share, in any state. */
  readonly listed: readonly ArchivableFile[];
}

/** The files of an open share that are not blocked. If all are blocked, throws as a download of the first one does. */
async function getAvailable(ctx: Ctx, actor: Actor, shortId: string): Promise<AvailableFiles> {
  const share = await findLinkedShare(ctx.db, shortId);
  if (!share || !isOpenTo(ctx, share, ownerId(actor))) throw shareNotFound();
  const listed = await listArchivable(ctx.db, share.short_id);
  const active = listed.filter((file) => file.status === "active");
  const files = active.filter((file) => file.scan_status !== "unavailable");
  if (files.length > 0) return { share, files, listed };
  const [blocked] = active;
  if (blocked) checkAvailable(ctx, actor, blocked, share);
  if (await isEmptyShipment(ctx.db, share)) {
    throw new AppError("UPLOAD_INCOMPLETE", "This shipment has no files yet. Try again when the sender has added some.", {
      retryAfterSeconds: 15,
    });
  }
  throw shareNotFound();
}

/** The files that are stored and clean. Throws SCAN_PENDING if there are none yet. */
function filterReady(files: readonly ArchivableFile[]): readonly ArchivableFile[] {
  const ready = files.filter(isReady);
  const [waiting] = files;
  if (ready.length === 0 && waiting) checkReady(waiting);
  return ready;
}

interface CheckedArchive {
  readonly share: FoundShare;
  readonly files: readonly ArchivableFile[];
  readonly issuedAtMs: number;
  /** Empty for all files. */
  readonly selection: string;
  /** Empty without a purchase. */
  readonly purchaseId: string;
}

/** Undefined, with nothing counted, if since the listing a file has ended, or the credentials or the limit of the share have changed. */
async function countAndSign(
  ctx: Ctx,
  call: RequestContext,
  { share, files, issuedAtMs, selection, purchaseId }: CheckedArchive,
): Promise<string | undefined> {
  try {
    return await countingDownloads(ctx, call, { share, purchaseId }, async (ctx, count) => {
      const current = await findShare(ctx.db, share.short_id);
      if (!current || !isOpenTo(ctx, current, ownerId(call.actor))) throw shareNotFound();
      if (current.credentials_version !== share.credentials_version) return undefined;
      if (!(await isStillPaid(ctx.db, purchaseId)) || (purchaseId === "" && current.price_cents !== share.price_cents)) return undefined;
      const expiresAtMs = Math.min(issuedAtMs + DOWNLOAD_URL_MS, current.expires_at ?? Number.POSITIVE_INFINITY);
      const archiveId = isLimited(current) ? newUuid(ctx.random, issuedAtMs) : "";
      const grantId = (fileId: string): string => archiveGrantId(archiveId, fileId);
      const options = { share: current, grantId, expiresAtMs, purchaseId };
      const begun = purchaseId !== "" && isLimited(current) ? await continueBegun(ctx, files, options) : NO_FILES;
      const others = files.filter(({ id }) => !begun.has(id));
      if (others.length > 0 && !(await count(others, options))) throw new FilesChanged();
      // The grants of a limited share name its files.
      return signArchiveUrl(ctx, current, {
        ...{ issuedAtMs, expiresAtMs, archiveId, purchaseId },
        selection: archiveId === "" ? selection : "",
      });
    });
  } catch (error) {
    if (error instanceof FilesChanged) return undefined;
    throw error;
  }
}

const NO_FILES: ReadonlySet<string> = new Set();

/** Gives an archive the downloads that its buyer has begun and can still use. Resolves to the IDs of their files. Throws FilesChanged. */
async function continueBegun(
  ctx: CountingCtx,
  files: readonly ArchivableFile[],
  { grantId, expiresAtMs, purchaseId }: CountOptions,
): Promise<ReadonlySet<string>> {
  const begun = await listBegun(ctx, purchaseId);
  const moved = files.flatMap(({ id }) => {
    const from = begun.get(id)?.grantId;
    return from ? [{ fileId: id, grantId: grantId(id), from }] : [];
  });
  if (moved.length === 0) return NO_FILES;
  const isMoved = await moveGrants(
    ctx.db,
    moved.map(({ from, grantId }) => ({ from, to: grantId })),
    expiresAtMs,
  );
  if (!isMoved) throw new FilesChanged();
  await movePurchased(ctx.db, purchaseId, moved);
  return new Set(moved.map(({ fileId }) => fileId));
}

/** Rolls the transaction back. */
class FilesChanged extends Error {
  override readonly name = "FilesChanged";
}

/** What the URL of an archive carries. The archive has the files that the share had at `issuedAtMs`, or those of them that were chosen. */
export interface ArchiveParameters extends SignedToken {
  readonly issuedAtMs: number;
  /** Prefix of the grants' IDs; empty if the share is not limited. */
  readonly archiveId: string;
  /** The chosen files, as `decodeSelection` reads them; empty for all, and if the share is limited. */
  readonly selection: string;
  /** The purchase that it was issued for, which a refund ends; empty without one. */
  readonly purchaseId: string;
}

type Signed = Pick<ArchiveParameters, "issuedAtMs" | "archiveId" | "selection" | "purchaseId">;

interface SignOptions extends Signed {
  readonly expiresAtMs: number;
}

function signArchiveUrl(ctx: Pick<Ctx, "urls" | "keyring">, share: SharePolicy, options: SignOptions): string {
  const fields = signedFields(share.short_id, share.credentials_version, options);
  const { expiry, signature } = signToken(ctx.keyring, "archive", fields, options.expiresAtMs);
  const query = new URLSearchParams({ i: options.issuedAtMs.toString(36), e: expiry, g: options.archiveId, s: signature });
  if (options.selection !== "") query.set("f", options.selection);
  if (options.purchaseId !== "") query.set("b", options.purchaseId);
  return `${ctx.urls.contentUrl}/ar/${share.short_id}.zip?${query}`;
}

/** Parses the query of an archive's URL; undefined if it is malformed. */
export function readArchiveParameters(query: URLSearchParams): ArchiveParameters | undefined {
  const issued = query.get("i") ?? "";
  const expiry = query.get("e");
  const signature = query.get("s");
  if (!/^[0-9a-z]{1,10}$/.test(issued) || !expiry || !signature) return undefined;
  const [archiveId = "", selection = "", purchaseId = ""] = ["g", "f", "b"].map((name) => query.get(name) ?? "");
  return { issuedAtMs: Number.parseInt(issued, 36), expiry, archiveId, selection, purchaseId, signature };
}

/**
 * When a signed URL expires, in ms, which may be past; undefined if this server did not issue it, or the credentials of the share have
 * changed since.
 */
export function verifyArchiveUrl(
  ctx: Pick<Ctx, "keyring">,
  { shortId, credentialsVersion }: { shortId: string; credentialsVersion: number },
  parameters: ArchiveParameters,
): number | undefined {
  return verifyToken(ctx.keyring, "archive", signedFields(shortId, credentialsVersion, parameters), parameters);
}

const signedFields = (shortId: string, credentialsVersion: number, { issuedAtMs, archiveId, selection, purchaseId }: Signed) => [
  shortId,
  credentialsVersion,
  issuedAtMs,
  archiveId,
  selection,
  ...(purchaseId === "" ? [] : [purchaseId]),
];
