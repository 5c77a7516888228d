import { openBlobStore, type StorageOptions } from "../../blobs/open.ts";
import type { BlobStore } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import { countBlobRows, countOpenUploads } from "../../db/blob-rows.ts";
import { AppError } from "../../errors.ts";
import { type CopyBlobs, copyBlobs } from "./copy-blobs.ts";
import { type CopyProgress, type CopyReport, createTally } from "./copy-tally.ts";
import { type CopyTurn, withCopyTurn } from "./copy-turn.ts";

type Kind = StorageOptions["kind"];

export interface CopyStorage extends Pick<CopyBlobs, "parallel" | "dryRun" | "verify"> {
  readonly from: Kind;
  readonly to: Kind;
  /** Called once, with a function that tells how far it is. */
  readonly onStart?: (progress: () => CopyProgress) => void;
}

/** A dry run takes no turn: it changes nothing, and may run beside a copy. */
const NO_TURN: CopyTurn = { unproven: new Set(), begin: async () => undefined, settle: () => undefined };

/**
 * Copies the bytes of all files from one configured store to the other, as `copyBlobs` does. Throws VALIDATION_FAILED where the settings do not name both,
 * CONFLICT while another copy to that store runs, UNAVAILABLE or STORAGE_FULL where a store says so.
 */
export async function copyStorage(ctx: Ctx, options: CopyStorage): Promise<CopyReport> {
  const { from, to, dryRun } = options;
  if (from === to)
    throw new AppError(
      "VALIDATION_FAILED",
      `--from and --to are both ${to}. Name the store that has the bytes, and the one that is to get them.`,
    );
  await using source = await openBlobStore(settingsOf(ctx, from));
  await using target = await openBlobStore(settingsOf(ctx, to));
  await checkStore(source, `The store that has the bytes (${from})`);
  await checkStore(target, `The store that is to get the bytes (${to})`);
  const tally = createTally(await countBlobRows(ctx.db));
  options.onStart?.(tally.progress);
  const copy = (turn: CopyTurn): Promise<void> => copyBlobs({ ...options, db: ctx.db, source, target, tally, turn });
  await (dryRun ? copy(NO_TURN) : withCopyTurn(ctx, to, copy));
  return tally.report({ from, to, dryRun, uploadsUnderWay: await countOpenUploads(ctx.db) });
}

function settingsOf(ctx: Ctx, kind: Kind): StorageOptions {
  const settings = ctx.config.stores[kind];
  if (settings) return settings;
  throw new AppError(
    "VALIDATION_FAILED",
    "FILEHOST_S3_BUCKET: name the bucket that is copied from or to; FILEHOST_STORAGE may stay as it is.",
  );
}

async function checkStore(store: BlobStore, what: string): Promise<void> {
  try {
    await store.check();
  } catch (error) {
    const reason = error instanceof AppError && error.cause instanceof Error ? ` (${error.cause.message})` : "";
    throw new AppError("UNAVAILABLE", `${what} does not work${reason}. Look at its settings with: filehost config`, { cause: error });
  }
}
