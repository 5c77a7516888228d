import type { BlobArea, BlobPage, BlobStore, StagedBlob } from "../../../blobs/store.ts";
import type { Db } from "../../../db/database.ts";
import { listPages } from "../list-pages.ts";
import { type BlobRow, listBlobRows } from "./queries.ts";

/** The row of a blob, and the bytes in a store under its key. */
export interface ComparedBlob {
  readonly kind: "row";
  readonly row: BlobRow;
  /** Sizes by area, in bytes. An area without the blob is absent. */
  readonly sizes: BlobSizes;
  /** Staged blobs of earlier copies, which were neither committed nor discarded. */
  readonly staged: readonly StagedBlob[];
}

export type BlobSizes = Readonly<Partial<Record<BlobArea, number>>>;

/** A blob of the store that no file requires. */
export interface ExtraBlob {
  readonly kind: "extra";
  readonly key: string;
}

const PAGE_SIZE = 1000;

/**
 * Compares all files that must have bytes with a store, in the order of their keys. Reads both sides page by page, so that memory and requests do not
 * grow with the store. May miss concurrent changes.
 */
export async function* compareBlobs(db: Db, store: BlobStore): AsyncGenerator<ComparedBlob | ExtraBlob> {
  const visible = walkKeys(listItems((after) => store.list("visible", after)));
  const quarantine = walkKeys(listItems((after) => store.list("quarantine", after)));
  const staged = walkKeys(listItems((after) => store.listStaged(after)));
  for (let after = ""; ; ) {
    const rows = await listBlobRows(db, { after, limit: PAGE_SIZE });
    for (const row of rows) {
      const key = row.blob_key;
      for (const area of [visible, quarantine]) for await (const extra of area.before(key)) yield { kind: "extra", key: extra.key };
      for await (const _ of staged.before(key));
      const [visibleBlob] = await visible.at(key);
      const [quarantinedBlob] = await quarantine.at(key);
      const sizes = {
        ...(visibleBlob && { visible: visibleBlob.sizeBytes }),
        ...(quarantinedBlob && { quarantine: quarantinedBlob.sizeBytes }),
      };
      yield { kind: "row", row, sizes, staged: await staged.at(key) };
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.blob_key;
  }
  for (const area of [visible, quarantine]) for await (const extra of area.before(undefined)) yield { kind: "extra", key: extra.key };
}

async function* listItems<T>(list: (after?: string) => Promise<BlobPage<T>>): AsyncGenerator<T> {
  for await (const page of listPages(list)) yield* page;
}

/** A cursor that walks a list once, in the order of its keys, beside another list. */
interface KeyWalk<T> {
  /** Yields and passes the items before `key`, or all remaining items if it is undefined. */
  before(key: string | undefined): AsyncGenerator<T>;
  /** Returns the items with a key. Call `before` first. */
  at(key: string): Promise<T[]>;
}

function walkKeys<T extends { readonly key: string }>(items: AsyncGenerator<T>): KeyWalk<T> {
  let head: T | undefined;
  let isDone = false;

  async function peek(): Promise<T | undefined> {
    if (head || isDone) return head;
    const step = await items.next();
    if (step.done) isDone = true;
    else head = step.value;
    return head;
  }

  return {
    async *before(key) {
      for (let next = await peek(); next && (key === undefined || next.key < key); next = await peek()) {
        head = undefined;
        yield next;
      }
    },
    async at(key) {
      const found: T[] = [];
      for (let next = await peek(); next?.key === key; next = await peek()) {
        head = undefined;
        found.push(next);
      }
      return found;
    },
  };
}
