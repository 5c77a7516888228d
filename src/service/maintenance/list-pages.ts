import type { BlobPage } from "../../blobs/store.ts";

/** Yields the pages of a list of the store, and requests each page when it is needed. */
export async function* listPages<T>(list: (after?: string) => Promise<BlobPage<T>>): AsyncGenerator<readonly T[]> {
  for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
    const page = await list(after);
    yield page.items;
    after = page.next;
  }
}
