import type { TransactionCtx, UnrecordedDownloads } from "../../context.ts";
import { AppError, isStorageFull } from "../../errors.ts";

/** Writes the count or the event of a download. */
type WriteRecord = (ctx: TransactionCtx) => Promise<unknown>;

interface Unrecorded {
  readonly atMs: number;
  readonly write: WriteRecord;
}

/** Maximum number of waiting records, of about 1 KB each. */
const MAX_RECORDS = 10_000;

export function createUnrecordedDownloads(): UnrecordedDownloads {
  const waiting: Unrecorded[] = [];
  let lost = 0;

  return {
    keep(ctx, write) {
      if (waiting.length >= MAX_RECORDS) {
        lost += 1;
        return;
      }
      if (waiting.length === 0) ctx.log.warn("the disk is full: downloads are counted in memory until there is space");
      waiting.push({ atMs: ctx.now(), write });
    },
    async record(ctx, { isLast = false } = {}) {
      let recorded = 0;
      for (let next = waiting[0]; next; next = waiting[0]) {
        const { atMs, write } = next;
        try {
          await ctx.transaction((ctx) => write({ ...ctx, now: () => atMs }));
          recorded += 1;
        } catch (error) {
          if (isTemporary(error)) break;
          lost += 1;
          ctx.log.error({ err: error }, "recording a download failed");
        }
        waiting.shift();
      }
      if (isLast) lost += waiting.length;
      if (recorded > 0) ctx.log.info({ records: recorded }, "downloads recorded that had waited for space on the disk");
      if (lost > 0) ctx.log.error({ records: lost }, "downloads were not recorded");
      lost = 0;
    },
  };
}

/** Returns whether an error is temporary: the disk is full, or another process holds the database. */
const isTemporary = (error: unknown): boolean => isStorageFull(error) || (error instanceof AppError && error.code === "UNAVAILABLE");
