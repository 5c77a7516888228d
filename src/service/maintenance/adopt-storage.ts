import { PAIR_PROBLEMS, type PairState } from "../../blobs/pair-state.ts";
import type { Ctx } from "../../context.ts";
import { adoptStore, ensurePair } from "../storage/store-pair.ts";
import { compareBlobs } from "./copy-storage/compare-blobs.ts";
import { forgetUnknownBlobs } from "./unknown-bytes.ts";

/** The differences between the database and the store. */
export interface StoreComparison {
  /** The reason why the database and the store do not belong together, as a sentence. */
  readonly problem: string;
  /** Number of files and thumbnails that must have bytes. */
  readonly files: number;
  /** Number of files and thumbnails whose bytes are missing. */
  readonly missing: number;
  /** Number of blobs without a file. */
  readonly unknown: number;
}

/**
 * Pairs the store with the database again after `confirm` has resolved (storage, "A store and its database"). The retention of bytes without a file
 * starts anew.
 */
export async function adoptStorage(ctx: Ctx, confirm: (found: StoreComparison) => Promise<void>): Promise<StoreComparison> {
  const found = { problem: describe(await ensurePair(ctx)), ...(await compareStore(ctx)) };
  await confirm(found);
  await forgetUnknownBlobs(ctx);
  await adoptStore(ctx);
  ctx.log.warn({ found }, "file store adopted");
  return found;
}

const describe = (state: PairState): string =>
  state.kind === "problem" ? PAIR_PROBLEMS[state.problem] : "The file store and the database already belong together.";

async function compareStore({ db, blobs }: Ctx): Promise<Omit<StoreComparison, "problem">> {
  const counts = { files: 0, missing: 0, unknown: 0 };
  for await (const found of compareBlobs(db, blobs)) {
    if (found.kind === "extra") counts.unknown += 1;
    else {
      counts.files += 1;
      if (Object.keys(found.sizes).length === 0) counts.missing += 1;
    }
  }
  return counts;
}
