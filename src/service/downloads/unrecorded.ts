import type { Ctx, TransactionCtx } from "../../context.ts";
import { isStorageFull } from "../../errors.ts";
import { countOf } from "../../lib/count-of.ts";

/** What a download writes: its count or its event. */
type WriteRecord = (ctx: TransactionCtx) => Promise<unknown>;

interface Unrecorded {
  readonly files: number;
  readonly atMs: number;
  readonly write: WriteRecord;
}

/** Downloads of shares without a limit that a full disk could not record, in the memory of this server (disk space, "A disk that others fill"). */
export interface UnrecordedDownloads {
  /** Keeps `write` for later, which then has the time of now. `files`: how many files it records. */
  keep(ctx: Pick<Ctx, "now" | "log">, files: number, write: WriteRecord): void;
  /** Records what waits, and stops where the disk is still full. Logs what cannot be recorded; with `isLast`, what is left too. */
  record(ctx: Ctx, options?: { readonly isLast?: boolean }): Promise<void>;
}

/** Files whose records wait at most, some 1 KB each. */
const MAX_FILES = 10_000;

export function createUnrecordedDownloads(): UnrecordedDownloads {
  const waiting: Unrecorded[] = [];
  let files = 0;
  let lost = 0;

  function reportLost({ log }: Pick<Ctx, "log">): void {
    if (lost > 0) log.error({ files: lost }, "downloads were not counted: the disk is full");
    lost = 0;
  }

  return {
    keep(ctx, count, write) {
      if (waiting.length === 0) ctx.log.warn("the disk is full: downloads are counted in memory until there is space");
      if (files + count > MAX_FILES) {
        lost += count;
        return;
      }
      files += count;
      waiting.push({ files: count, atMs: ctx.now(), write });
    },
    async record(ctx, { isLast = false } = {}) {
      const before = files;
      for (let next = waiting[0]; next; next = waiting[0]) {
        const { atMs, write } = next;
        try {
          await ctx.transaction((ctx) => write({ ...ctx, now: () => atMs }));
        } catch (error) {
          if (isStorageFull(error)) break;
          lost += next.files;
          ctx.log.error({ err: error }, "recording a download failed");
        }
        waiting.shift();
        files -= next.files;
      }
      if (before > files) ctx.log.info(`${countOf(before - files, "download")} recorded that waited for space on the disk`);
      if (isLast) lost += files;
      reportLost(ctx);
    },
  };
}
