import type { Call, Ctx } from "../../context.ts";
import type { DeliverableFile } from "../../db/deliveries.ts";
import { deliveredSpans, findGrant, settleGrant, spendGrant } from "../../db/grants.ts";
import { addSpan, coversWhole, type Span } from "../../domain/range.ts";
import { AppError } from "../../errors.ts";
import { insertDownloadEvents } from "./insert-download-events.ts";

export interface SentBytes {
  /** What was handed to the network. */
  readonly span: Span;
  /** Whether all of it went through; otherwise its end may never have arrived. */
  readonly whole: boolean;
}

/** Hears once what was sent of a response, when that has ended, well or not. */
export interface DeliveryTracker {
  /** Whether it must know how far a broken transfer came; otherwise it hears of whole ones alone. */
  readonly countsBytes: boolean;
  /** The last byte is with the network; whether it goes through is not known yet. */
  handedOn?(): void;
  sent(bytes: SentBytes): Promise<void>;
}

/** Follows the delivery of an owned file: `file.downloaded` when every byte has been sent, in however many ranges. */
export function trackOwned(ctx: Ctx, call: Call, { file, deliveryId }: { file: DeliverableFile; deliveryId: string }): DeliveryTracker {
  return {
    countsBytes: false,
    async sent({ span }) {
      if (!ctx.deliveries.add(deliveryId, span, file.size_bytes)) return;
      await ctx.tx((ctx) => insertDownloadEvents(ctx, call, "file.downloaded", [file]));
    },
  };
}

/**
 * Takes the bytes of a limited delivery from its grant before they are sent; throws NOT_FOUND where it is complete or has not enough left.
 * One whole delivery completes it.
 */
export async function trackGrant(
  ctx: Ctx,
  call: Call,
  { file, grantId, span }: { file: DeliverableFile; grantId: string; span: Span },
): Promise<DeliveryTracker> {
  const spentBytes = span.end - span.start;
  if (!(await spendGrant(ctx.db, grantId, spentBytes))) {
    throw new AppError(
      "NOT_FOUND",
      "This file could be downloaded a limited number of times, and has been. Ask its sender for a new link.",
    );
  }
  let settle = (): void => {};
  return {
    countsBytes: true,
    handedOn() {
      settle = ctx.deliveries.settling(grantId);
    },
    async sent({ span: handed, whole }) {
      const recorded = ctx.tx(async (ctx) => {
        const grant = await findGrant(ctx.db, grantId);
        if (!grant) return;
        const delivered = addSpan(deliveredSpans(grant), whole ? handed : withoutLastByte(handed));
        const isComplete = coversWhole(delivered, file.size_bytes);
        const refundBytes = spentBytes - (handed.end - handed.start);
        await settleGrant(ctx.db, { id: grantId, refundBytes, delivered, completedAtMs: isComplete ? ctx.now() : null });
        if (isComplete && grant.completed_at === null) await insertDownloadEvents(ctx, call, "file.downloaded", [file]);
      });
      await recorded.finally(settle);
    },
  };
}

/** The end of a broken transfer may not have arrived: it does not complete a delivery, and can be asked for again. */
const withoutLastByte = ({ start, end }: Span): Span => ({ start, end: Math.max(start, end - 1) });
