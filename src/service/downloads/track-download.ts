import type { Ctx, RecentDownloads, RequestContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { createLru } from "../../lib/concurrency/lru.ts";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import { addSpan, coversWhole, type Span } from "../../lib/http/range.ts";
import { endUsedUp } from "../files/limit-downloads.ts";
import { completePurchaseDownloads } from "../selling/bought-downloads.ts";
import { insertDownloadEvents, recordDownloaded } from "./count-downloads.ts";
import { type DownloadableFile, debitGrant, findGrant, parseSentSpans, recordSent } from "./queries.ts";

/** The sent bytes of a response. */
export interface SentSpan {
  /** The bytes that were written to the socket. */
  readonly span: Span;
  /** Whether the response completed. The last bytes of an incomplete response may not have arrived. */
  readonly isComplete: boolean;
}

/** Records the sent bytes of a response. */
export interface DownloadTracker {
  /** Whether `record` must also be called for a broken transfer, with the exact span. */
  readonly countsBytes: boolean;
  /** Called when the last byte was written to the socket, before the outcome is known. */
  markWritten?(): void;
  /** Called once, when the response has ended. */
  record(transfer: SentSpan): Promise<void>;
}

/** Tracks a file with an owner: records `file.downloaded` when every byte was sent under one signed URL, in any number of ranges. */
export function trackOwned(
  ctx: Ctx,
  call: RequestContext,
  { file, downloadId }: { file: DownloadableFile; downloadId: string },
): DownloadTracker {
  return {
    countsBytes: false,
    async record({ span }) {
      if (!ctx.downloads.addSpan(downloadId, span, file.size_bytes)) return;
      await recordDownloaded(ctx, call, [file]);
    },
  };
}

interface GrantedTransfer {
  readonly file: DownloadableFile;
  readonly grantId: string;
  /** The purchase; empty without one. */
  readonly purchaseId: string;
  readonly span: Span;
}

/**
 * Tracks a file of a limited share: debits the bytes from its grant before they are sent, and completes the grant when every byte was sent. Throws
 * NOT_FOUND if the grant cannot be used or has too few bytes left.
 */
export async function trackGrant(
  ctx: Ctx,
  call: RequestContext,
  { file, grantId, purchaseId, span }: GrantedTransfer,
): Promise<DownloadTracker> {
  const debitedBytes = span.end - span.start;
  if (!(await debitGrant(ctx.db, grantId, debitedBytes, { nowMs: ctx.now(), isBought: purchaseId !== "" }))) {
    throw new AppError("NOT_FOUND", "This file has no downloads left. Ask the sender for a new link.");
  }
  let markRecorded = (): void => {};
  return {
    countsBytes: true,
    markWritten() {
      markRecorded = ctx.downloads.addPendingRecord(grantId);
    },
    async record({ span: sent, isComplete }) {
      const recorded = ctx.transaction(async (ctx) => {
        const grant = await findGrant(ctx.db, grantId);
        if (!grant) return;
        const sentSpans = addSpan(parseSentSpans(grant), isComplete ? sent : withoutLastByte(sent));
        const isWhole = coversWhole(sentSpans, file.size_bytes);
        const refundBytes = debitedBytes - (sent.end - sent.start);
        await recordSent(ctx.db, { id: grantId, refundBytes, sentSpans, completedAtMs: isWhole ? ctx.now() : null });
        if (!isWhole || grant.completed_at !== null) return;
        await insertDownloadEvents(ctx, call, "file.downloaded", [file]);
        if (purchaseId !== "") await completePurchaseDownloads(ctx.db, purchaseId, [file.id]);
        await endUsedUp(ctx, [file.id]);
      });
      await recorded.finally(() => markRecorded());
    },
  };
}

/**
 * Removes the last byte from a broken transfer's span: it may not have arrived, so the grant stays incomplete and the client can request it again.
 */
const withoutLastByte = ({ start, end }: Span): Span => ({ start, end: Math.max(start, end - 1) });

const MAX_DOWNLOADS = 20_000;
const FLUSH_TIMEOUT_MS = 1000;

export function createRecentDownloads(): RecentDownloads {
  const spansById = createLru<string, readonly Span[]>(MAX_DOWNLOADS);
  const pendingById = new Map<string, Set<Promise<void>>>();
  return {
    addSpan(downloadId, span, sizeBytes) {
      const spans = addSpan(spansById.get(downloadId) ?? [], span);
      const isWhole = coversWhole(spans, sizeBytes);
      if (isWhole) spansById.delete(downloadId);
      else spansById.set(downloadId, spans);
      return isWhole;
    },
    addPendingRecord(downloadId) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const pending = pendingById.get(downloadId) ?? new Set();
      pendingById.set(downloadId, pending.add(promise));
      return () => {
        resolve();
        pending.delete(promise);
        if (pending.size === 0) pendingById.delete(downloadId);
      };
    },
    async whenFlushed(downloadId) {
      const pending = pendingById.get(downloadId);
      if (pending) await withTimeout(Promise.all(pending), FLUSH_TIMEOUT_MS, () => undefined);
    },
  };
}
