import type { Call, Ctx, TxCtx } from "../../context.ts";
import { type ArchiveGrant, settleTakenGrants } from "../../db/archive-grants.ts";
import type { ArchivableFile } from "../../db/deliveries.ts";
import { insertDownloadEvents } from "../downloads/insert-download-events.ts";

/** How many files' ends are recorded in one transaction. */
const TOGETHER = 1000;

/** What of a file was handed to the network. */
export interface SentFile {
  readonly bytes: number;
  /** Whether the network has taken its last byte too. */
  readonly whole: boolean;
}

/** Hears once how the transfer of an archive has ended. */
export interface ArchiveTracker {
  /** `sent` by file id: files that are not in it were not reached. `whole`: everything went through. */
  ended(sent: ReadonlyMap<string, SentFile>, whole: boolean): Promise<void>;
}

/** Follows an owned archive: `file.downloaded` for each file where all of it went through. */
export function trackOwned(ctx: Ctx, call: Call, files: readonly ArchivableFile[]): ArchiveTracker {
  return {
    async ended(sent, whole) {
      if (!whole) return;
      const delivered = files.filter((file) => isWhole(file, sent.get(file.id)));
      for (const batch of inBatches(delivered)) await ctx.tx((ctx) => insertDownloadEvents(ctx, call, "file.downloaded", batch));
    },
  };
}

interface TakenArchive {
  readonly archiveId: string;
  readonly files: readonly ArchivableFile[];
  readonly grants: ReadonlyMap<string, ArchiveGrant>;
}

/**
 * Follows a limited archive, whose grants have been taken: files that were sent whole are complete, all others are given back less what was
 * sent of them. A process that dies before that gives nothing back.
 */
export function trackGrants(ctx: Ctx, call: Call, { archiveId, files, grants }: TakenArchive): ArchiveTracker {
  const settled = ctx.deliveries.settling(archiveId);
  const settle = async (ctx: TxCtx, batch: readonly ArchivableFile[], isDelivered: (file: ArchivableFile) => boolean, sent: Sent) => {
    const toGrant = (file: ArchivableFile) => ({
      fileId: file.id,
      budgetBytes: Math.max(0, (grants.get(file.id)?.budgetBytes ?? 0) - (sent.get(file.id)?.bytes ?? 0)),
      completedAtMs: isDelivered(file) ? ctx.now() : null,
    });
    await settleTakenGrants(ctx.db, archiveId, batch.map(toGrant));
    await insertDownloadEvents(ctx, call, "file.downloaded", batch.filter(isDelivered));
  };
  return {
    async ended(sent, whole) {
      const isDelivered = (file: ArchivableFile): boolean =>
        sent.get(file.id)?.whole === true || (whole && isWhole(file, sent.get(file.id)));
      try {
        for (const batch of inBatches(files)) await ctx.tx((ctx) => settle(ctx, batch, isDelivered, sent));
      } finally {
        settled();
      }
    },
  };
}

type Sent = ReadonlyMap<string, SentFile>;

const isWhole = (file: ArchivableFile, sent: SentFile | undefined): boolean => sent?.bytes === file.size_bytes;

function* inBatches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += TOGETHER) yield items.slice(start, start + TOGETHER);
}
