import type { Ctx, RequestContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { type SignedToken, signToken, verifyToken } from "../../lib/secrets/signed-token.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import type { Input } from "../contract.ts";
import { isReady } from "../files/ready.ts";
import type { Operation } from "../operation.ts";
import { type BegunDownload, listBegunDownloads, movePurchaseDownloads } from "../selling/bought-downloads.ts";
import { type FoundShare, findLinkedShare, findShare, isEmptyShipment } from "../shares/queries.ts";
import { isLimited, isOpenTo, shareNotFound } from "../shares/share-state.ts";
import { checkNotInUrl, checkUnlocked, findRecipientId } from "../shares/unlock.ts";
import { chooseByIds, encodeSelection } from "./archive-selection.ts";
import { checkPaid, findProvenPurchase, isStillPaid } from "./check-paid.ts";
import { type CountingCtx, type CountOptions, withDownloadCounting } from "./count-downloads.ts";
import { checkAvailable, checkReady, DOWNLOAD_URL_MS, fileNotFound, MAX_AUTHORIZATIONS, shareChanging } from "./download-rules.ts";
import { type ArchivableFile, archiveGrantId, archiveIdOf, listArchivable, moveGrants, type SharePolicy } from "./queries.ts";

/** Number of an archive's files that count as one request in the general rate limit. */
const FILES_PER_REQUEST = 100;

/** `GET /files/share/{shortId}/archive`: counts a download of each clean or chosen file, and returns the signed URL of one ZIP. */
export const authorizeArchive: Operation<"authorizeArchive"> = async (ctx, call, { shortId, fileIds, folder, ...credentials }) => {
  for (let attempt = 1; attempt <= MAX_AUTHORIZATIONS; attempt += 1) {
    const issuedAtMs = ctx.now();
    const { share, listed, ready, purchase, recipientId } = await findReady(ctx, call, { shortId, fileIds, folder, ...credentials });
    if (attempt === 1) call.countRequests?.(Math.ceil(ready.length / FILES_PER_REQUEST));
    const selection = fileIds || folder ? encodeSelection(listed, ready, issuedAtMs) : "";
    const url = await countAndSign(ctx, call, { share, files: ready, issuedAtMs, selection, purchaseId: purchase?.id ?? "", recipientId });
    if (url !== undefined) return { success: true, url };
  }
  throw shareChanging();
};

/** Returns the archive that a caller would get, without counting. Throws as `authorizeArchive` does. */
export async function getArchive(ctx: Ctx, call: RequestContext, request: Input<"authorizeArchive">): Promise<ShownArchive> {
  const { share, ready } = await findReady(ctx, call, request);
  return { share, files: ready };
}

export interface ShownArchive {
  readonly share: FoundShare;
  readonly files: readonly ArchivableFile[];
}

/** Finds the files that a caller may download now. Counts nothing. */
async function findReady(ctx: Ctx, call: RequestContext, { shortId, fileIds, folder, ...credentials }: Input<"authorizeArchive">) {
  const { share, files: available, listed } = await getAvailable(ctx, call.actor, shortId);
  const purchase = await findProvenPurchase(ctx, share, credentials);
  if (!purchase) {
    checkNotInUrl(share, credentials);
    await checkUnlocked(ctx, call, share, credentials);
  }
  checkPaid(ctx, call.actor, share, purchase);
  const begun = purchase && isLimited(share) ? await listBegunRecorded(ctx, purchase.id) : NONE;
  const files = chooseByIds(available, { fileIds, folder }).filter((file) => canBeSent(file, begun.get(file.id)));
  if (files.length === 0 && begun.size > 0) throw fileNotFound();
  return { share, listed, ready: filterReady(files), purchase, recipientId: await findRecipientId(ctx, share, credentials) };
}

const NONE: ReadonlyMap<string, BegunDownload> = new Map();

/**
 * Lists the downloads that a purchase has begun. Waits for pending records, because a buyer may ask again before the end of a download is recorded.
 */
async function listBegunRecorded(ctx: Ctx, purchaseId: string): Promise<ReadonlyMap<string, BegunDownload>> {
  const begun = await listBegunDownloads(ctx, purchaseId);
  const open = [...begun].flatMap(([fileId, { grantId }]) => (grantId === null ? [] : [archiveIdOf(grantId, fileId) ?? grantId]));
  for (const id of new Set(open)) await ctx.downloads.whenFlushed(id);
  return open.length === 0 ? begun : await listBegunDownloads(ctx, purchaseId);
}

/**
 * Returns whether an archive can contain a file: a download that the buyer has begun must be unfinished and have enough bytes left for the whole
 * file.
 */
const canBeSent = (file: ArchivableFile, begun: BegunDownload | undefined): boolean =>
  begun === undefined || (begun.grantId !== null && begun.budgetBytes >= file.size_bytes);

interface AvailableFiles {
  readonly share: FoundShare;
  /** The files that are not blocked. */
  readonly files: readonly ArchivableFile[];
  /** All files of the share, in any state. */
  readonly listed: readonly ArchivableFile[];
}

/** Returns the files of an open share that are not blocked. If all are blocked, throws as a download of the first file does. */
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

/** Returns the files that are stored and clean. Throws SCAN_PENDING if there are none yet. */
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
  /** The encoded selection; empty for all files. */
  readonly selection: string;
  /** The purchase; empty without one. */
  readonly purchaseId: string;
  /** The recipient whose private link the caller uses; undefined for others. */
  readonly recipientId: string | undefined;
}

/**
 * Counts the downloads and signs the URL. Resolves to undefined, with nothing counted, if a file has ended or the share's credentials or limit have
 * changed since the listing.
 */
async function countAndSign(
  ctx: Ctx,
  call: RequestContext,
  { share, files, issuedAtMs, selection, purchaseId, recipientId }: CheckedArchive,
): Promise<string | undefined> {
  try {
    return await withDownloadCounting(ctx, call, { share, purchaseId }, async (ctx, count) => {
      const current = await findShare(ctx.db, share.short_id);
      if (!current || !isOpenTo(ctx, current, ownerId(call.actor))) throw shareNotFound();
      if (current.credentials_version !== share.credentials_version) return undefined;
      if (!(await isStillPaid(ctx.db, purchaseId)) || (purchaseId === "" && current.price_cents !== share.price_cents)) return undefined;
      const expiresAtMs = Math.min(issuedAtMs + DOWNLOAD_URL_MS, current.expires_at ?? Number.POSITIVE_INFINITY);
      const archiveId = isLimited(current) ? newUuid(ctx.random, issuedAtMs) : "";
      const grantId = (fileId: string): string => archiveGrantId(archiveId, fileId);
      const options = { share: current, grantId, expiresAtMs, purchaseId, recipientId };
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

/** Assigns the unfinished downloads of a buyer to an archive. Resolves to the IDs of their files. Throws FilesChanged. */
async function continueBegun(
  ctx: CountingCtx,
  files: readonly ArchivableFile[],
  { grantId, expiresAtMs, purchaseId }: CountOptions,
): Promise<ReadonlySet<string>> {
  const begun = await listBegunDownloads(ctx, purchaseId);
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
  await movePurchaseDownloads(ctx.db, purchaseId, moved);
  return new Set(moved.map(({ fileId }) => fileId));
}

/** The error that rolls the transaction back, because files have changed. */
class FilesChanged extends Error {
  override readonly name = "FilesChanged";
}

/** The parameters in the URL of an archive. The archive contains the files that the share had at `issuedAtMs`, or the chosen ones among them. */
export interface ArchiveParameters extends SignedToken {
  readonly issuedAtMs: number;
  /** Prefix of the grants' IDs; empty if the share is not limited. */
  readonly archiveId: string;
  /** The chosen files, encoded for `decodeSelection`; empty for all files, and for a limited share. */
  readonly selection: string;
  /** The purchase that the URL was issued for; empty without one. A refund ends the URL. */
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
 * Returns the expiry of a signed URL in milliseconds, which may be past; undefined if the signature is invalid or the share's credentials have
 * changed.
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
