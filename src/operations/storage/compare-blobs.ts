import type { BlobArea, BlobPage, BlobStore, StagedBlob } from "../../blobs/store.ts";
import { type BlobRow, listBlobRows } from "../../db/blob-rows.ts";
import type { Db } from "../../db/database.ts";

/** Of one key: what its row says, and what a store has of it. */
export interface ComparedBlob {
  readonly kind: "row";
  readonly row: BlobRow;
  /** Bytes of the blob in each area, where it is there. */
  readonly sizes: BlobSizes;
  /** What was begun to be written under that name and neither ended nor undone. */
  readonly staged: readonly StagedBlob[];
}

export type BlobSizes = Readonly<Partial<Record<BlobArea, number>>>;

/** A blob of the store that no file must have. */
export interface ExtraBlob {
  readonly kind: "extra";
  readonly key: string;
}

const PAGE = 1000;

/**
 * Holds all files that must have bytes against a store, in the order of their keys: both sides page by page, so a store of any size takes the
 * memory of a page, and few questions. What changes meanwhile may be seen or not.
 */
export async function* compareBlobs(db: Db, store: BlobStore): AsyncGenerator<ComparedBlob | ExtraBlob> {
  const visible = inOrder(pagesOf((after) => store.list("visible", after)));
  const quarantine = inOrder(pagesOf((after) => store.list("quarantine", after)));
  const staged = inOrder(pagesOf((after) => store.listStaged(after)));
  for (let after = ""; ; ) {
    const rows = await listBlobRows(db, { after, limit: PAGE });
    for (const row of rows) {
      const key = row.blob_key;
      for (const area of [visible, quarantine]) for await (const extra of area.before(key)) yield { kind: "extra", key: extra.key };
      for await (const _ of staged.before(key));
      const [here] = await visible.at(key);
      const [aside] = await quarantine.at(key);
      const sizes = { ...(here && { visible: here.sizeBytes }), ...(aside && { quarantine: aside.sizeBytes }) };
      yield { kind: "row", row, sizes, staged: await staged.at(key) };
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.blob_key;
  }
  for (const area of [visible, quarantine]) for await (const extra of area.before(undefined)) yield { kind: "extra", key: extra.key };
}

async function* pagesOf<T>(list: (after?: string) => Promise<BlobPage<T>>): AsyncGenerator<T> {
  for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
    const page = await list(after);
    yield* page.items;
    after = page.next;
  }
}

/** A list in the order of its keys, walked once along the keys of another. */
interface Walk<T> {
  /** Those before `key`, or all that are left; they are passed by then. */
  before(key: string | undefined): AsyncGenerator<T>;
  /** Those of that very key, after `before` has come to it. */
  at(key: string): Promise<T[]>;
}

function inOrder<T extends { readonly key: string }>(items: AsyncGenerator<T>): Walk<T> {
  let head: T | undefined;
  let isOver = false;

  async function peek(): Promise<T | undefined> {
    if (head || isOver) return head;
    const step = await items.next();
    if (step.done) isOver = true;
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
