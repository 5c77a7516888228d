import { openBlobStore, type StorageOptions } from "../../../blobs/open-store.ts";
import type { BlobStore } from "../../../blobs/store.ts";
import type { Ctx } from "../../../context.ts";
import { AppError } from "../../../errors.ts";
import { checkNotForeign, pairCopy, readPair } from "../../storage/store-pair.ts";
import { type CopyBlobs, copyBlobs } from "./copy-blobs.ts";
import { type CopyLease, withCopyLease } from "./copy-lease.ts";
import { type CopyProgress, type CopyReport, createCopyStats } from "./copy-stats.ts";
import { countBlobRows, countOpenUploads } from "./queries.ts";

type Kind = StorageOptions["kind"];

export interface CopyStorage extends Pick<CopyBlobs, "parallel" | "dryRun" | "verify"> {
  readonly from: Kind;
  readonly to: Kind;
  /** Receives, once, a function that returns the progress. */
  readonly onStart?: (progress: () => CopyProgress) => void;
}

/** The lease of a dry run, which changes nothing and may run beside a copy. */
const NO_LEASE: CopyLease = { unverified: new Set(), begin: async () => undefined, markVerified: () => undefined };

/**
 * Copies the bytes of all files from one configured store to the other, and pairs the target with this database. Throws VALIDATION_FAILED unless
 * these are two different configured stores, CONFLICT while another copy to the store runs or if the target belongs to another database, UNAVAILABLE,
 * STORAGE_FULL.
 */
export async function copyStorage(ctx: Ctx, options: CopyStorage): Promise<CopyReport> {
  const { from, to, dryRun } = options;
  if (from === to) throw new AppError("VALIDATION_FAILED", `--from and --to are both ${to}. Name two different stores.`);
  await using source = await openBlobStore(settingsOf(ctx, from));
  await using target = await openBlobStore(settingsOf(ctx, to));
  await checkStore(source, `The source store (${from})`);
  await checkStore(target, `The target store (${to})`);
  await checkNotForeign(ctx, target);
  // Removes nothing if the database may be an older copy, in which removed files may differ.
  const mayRemove = (await readPair(ctx, source)).kind !== "problem";
  const stats = createCopyStats(await countBlobRows(ctx.db));
  options.onStart?.(stats.progress);
  const copy = (lease: CopyLease): Promise<void> => copyBlobs({ ...options, mayRemove, db: ctx.db, source, target, stats, lease });
  await (dryRun ? copy(NO_LEASE) : withCopyLease(ctx, to, copy));
  const report = stats.report({ from, to, dryRun, unfinishedUploads: await countOpenUploads(ctx.db) });
  // Does not pair a target with unknown blobs, because it may belong to another server.
  if (!dryRun && report.unknown === 0) await pairCopy(ctx, { source, target });
  return report;
}

function settingsOf(ctx: Ctx, kind: Kind): StorageOptions {
  const settings = ctx.config.stores[kind];
  if (settings) return settings;
  throw new AppError(
    "VALIDATION_FAILED",
    "FILEHOST_S3_BUCKET is not set. Set it to the bucket to copy from or to; leave FILEHOST_STORAGE as it is.",
  );
}

async function checkStore(store: BlobStore, name: string): Promise<void> {
  try {
    await store.check();
  } catch (error) {
    const reason = error instanceof AppError && error.cause instanceof Error ? ` (${error.cause.message})` : "";
    throw new AppError("UNAVAILABLE", `${name} is not available${reason}. Check its settings with: filehost config`, { cause: error });
  }
}
