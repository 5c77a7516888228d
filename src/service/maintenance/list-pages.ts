import type { BlobPage } from "../../blobs/store.ts";

/** The pages of a list of the store, each requested when it is needed. */
export async function* listPages<T>(list: (after?: string) => Promise<BlobPage<T>>): AsyncGenerator<readonly T[]> {
  for (let after: string | undefined, first = true; first || after !== undefined; first = false) {
    const page = await list(after);
    yield page.items;
    after = page.next;
  }
}
