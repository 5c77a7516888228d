import type { Call, Ctx } from "../../context.ts";
import { type DeliverableFile, findDeliverable, type SharePolicy } from "../../db/deliveries.ts";
import { findGrant } from "../../db/grants.ts";
import { type Conditions, judgeConditions } from "../../domain/preconditions.ts";
import { parseRange, type Span } from "../../domain/range.ts";
import { AppError } from "../../errors.ts";
import { checkAvailable, checkNotBlocked, checkReady, fileNotFound } from "./check-downloadable.ts";
import { countDownloads, isLimited } from "./count-download.ts";
import { isSigned, readSignedParameters, type SignedParameters } from "./signed-url.ts";
import { type DeliveryTracker, trackGrant, trackOwned } from "./track-delivery.ts";

export interface DeliveryRequest extends Conditions {
  readonly fileId: string;
  readonly query: URLSearchParams;
  readonly isHead: boolean;
  /** Whether a browser fetches ahead what nobody has asked for yet. */
  readonly isPrefetch: boolean;
  readonly range: string | null;
  readonly ifRange: string | null;
}

/** What to send: `span` of the file, all of it where `status` is 200; nothing where it is 304 or 412. */
export interface Delivery {
  readonly file: DeliverableFile;
  readonly status: 200 | 206 | 304 | 412;
  readonly span: Span;
  /** Told what was sent, where someone can ask; undefined: nobody can, and the bytes may go by sendfile. */
  readonly tracker: DeliveryTracker | undefined;
}

/**
 * Opens a signed address (decisions, "Downloads"). Throws SIGNATURE_INVALID for one that this server did not issue or that is no longer
 * valid, NOT_FOUND and the like where the file is not to be had, RANGE_NOT_SATISFIABLE, and of a
 * limited share PRECONDITION_FAILED. A HEAD, and a GET by who has the bytes already or wants others, changes and counts nothing.
 */
export async function openDelivery(ctx: Ctx, call: Call, request: DeliveryRequest): Promise<Delivery> {
  const parameters = readSignedParameters(request.query);
  if (!parameters) throw signatureInvalid();
  const found = await findDeliverable(ctx.db, request.fileId);
  if (!isSigned(ctx, request.fileId, found?.share.generation ?? 0, parameters)) throw signatureInvalid();
  if (!found) throw fileNotFound();
  if (ctx.now() >= parameters.untilMs)
    throw new AppError("SIGNATURE_INVALID", "This download address has lapsed. Open the share link again to get a new one.");
  const { file, share } = found;
  const { status, span } = chooseSpan(request, file);
  const looksOnly = request.isHead || status === 304 || status === 412;
  if (isLimited(share) && request.isPrefetch) throw notAhead();
  if (isLimited(share)) {
    const tracker = await openLimited(ctx, call, { file, share, parameters, span, isHead: looksOnly });
    if (status === 412) throw preconditionFailed(etagOf(file));
    return { file, status, span, tracker };
  }
  checkState(ctx, file, share);
  const isTracked = file.owner_id !== null && !looksOnly;
  return { file, status, span, tracker: isTracked ? trackOwned(ctx, call, { file, deliveryId: parameters.signature }) : undefined };
}

/** Fetching ahead is refused where it would count. */
export const notAhead = (): AppError =>
  new AppError("FORBIDDEN", "This counts as a download when it is opened, so it is not fetched ahead. Open it when you want it.");

/** The client wants bytes that are not the ones here; `etag` names these, where they have one. */
export const preconditionFailed = (etag?: string): AppError =>
  new AppError("PRECONDITION_FAILED", "These are not the bytes that If-Match or If-Unmodified-Since asks for. Ask again without it.", {
    headers: etag === undefined ? {} : { ETag: etag },
  });

const signatureInvalid = (): AppError =>
  new AppError("SIGNATURE_INVALID", "This download address is not valid. Open the share link again to get a new one.");

/** The whole, or the one range that was asked for, where `If-Range` still names these bytes. */
function chooseSpan(request: DeliveryRequest, file: DeliverableFile): Pick<Delivery, "status" | "span"> {
  const { range, ifRange } = request;
  const span = { start: 0, end: file.size_bytes };
  const outcome = judgeConditions(request, { etag: etagOf(file), modifiedMs: lastModifiedMs(file) });
  if (outcome !== "met") return { status: outcome === "refused" ? 412 : 304, span };
  const whole = { status: 200, span } as const;
  if (ifRange !== null && ifRange !== etagOf(file) && Date.parse(ifRange) !== lastModifiedMs(file)) return whole;
  const asked = parseRange(range, file.size_bytes);
  if (asked.kind === "partial") return { status: 206, span: asked.span };
  if (asked.kind === "whole") return whole;
  throw new AppError("RANGE_NOT_SATISFIABLE", `The file has ${file.size_bytes} bytes; ask for a range within them.`, {
    headers: { "Content-Range": `bytes */${file.size_bytes}` },
  });
}

/** A strong entity tag: a file's bytes never change. */
export const etagOf = (file: DeliverableFile): string => `"${file.id}"`;

/** To the second, as HTTP dates are. */
export const lastModifiedMs = (file: DeliverableFile): number => Math.floor(file.created_at / 1000) * 1000;

interface LimitedDelivery {
  readonly file: DeliverableFile;
  readonly share: SharePolicy;
  readonly parameters: SignedParameters;
  readonly span: Span;
  readonly isHead: boolean;
}

async function openLimited(ctx: Ctx, call: Call, delivery: LimitedDelivery): Promise<DeliveryTracker | undefined> {
  const { file, parameters } = delivery;
  // Each of the uploader's own addresses is one delivery: who lists the files again gets a new one.
  const grantId = parameters.purpose === "uploader" ? `uploader-${parameters.signature}` : parameters.grantId;
  // The end of an answer is recorded a moment after its reader has it; who asks again at once must not come before that.
  await ctx.deliveries.settled(grantId);
  const grant = await findGrant(ctx.db, grantId);
  if (delivery.isHead) {
    if (!grant) checkState(ctx, file, delivery.share);
    else if (grant.completed_at !== null) throw fileNotFound();
    else checkDeliverable(ctx, file, delivery.share);
    return undefined;
  }
  if (!grant) await countUploader(ctx, call, delivery, grantId);
  else checkDeliverable(ctx, file, delivery.share);
  return await trackGrant(ctx, call, { file, grantId, span: delivery.span });
}

/** The address itself stands for unlocking and payment; what the file has become since is looked at each time. */
function checkState(ctx: Pick<Ctx, "now">, file: DeliverableFile, share: SharePolicy): void {
  checkAvailable(ctx, file, share);
  checkReady(file);
}

/** A delivery that was counted goes on although the file has been used up since; it ends with its share's time, deletion, takedown, a blocking check and its owner's account. */
function checkDeliverable(ctx: Pick<Ctx, "now">, file: DeliverableFile, share: SharePolicy): void {
  const isOver = share.expires_at !== null && ctx.now() >= share.expires_at;
  if (isOver || share.owner_disabled_at !== null || (file.status !== "active" && file.status !== "expired")) throw fileNotFound();
  checkNotBlocked(file);
  if (file.blob_state !== "stored") throw fileNotFound();
  checkReady(file);
}

/** The first use of the uploader's own address counts as a download. */
async function countUploader(ctx: Ctx, call: Call, { file, parameters }: LimitedDelivery, grantId: string): Promise<void> {
  if (parameters.purpose !== "uploader") throw fileNotFound();
  await ctx.tx(async (ctx) => {
    if (await findGrant(ctx.db, grantId)) return;
    const current = await findDeliverable(ctx.db, file.id);
    if (!current) throw fileNotFound();
    checkState(ctx, current.file, current.share);
    const delivery = { share: current.share, grantId: () => grantId, untilMs: parameters.untilMs };
    if (!(await countDownloads(ctx, call, [current.file], delivery))) throw fileNotFound();
  });
}
