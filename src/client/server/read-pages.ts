const PAGE_SIZE = 200;
/** The largest number of items, which exceeds every list. */
const MAX_ITEMS = 1_000_000;

interface NumberedPage<T> {
  readonly items: readonly T[];
  readonly pagination: { readonly totalPages: number };
}

/** Reads a list with numbered pages to its end, or up to `count` items. */
export async function readAllPages<T>(
  read: (page: { readonly page: number; readonly limit: number }) => Promise<NumberedPage<T>>,
  count = MAX_ITEMS,
): Promise<readonly T[]> {
  const limit = Math.min(PAGE_SIZE, count);
  const found: T[] = [];
  for (let page = 1; found.length < Math.min(count, MAX_ITEMS); page += 1) {
    const { items, pagination } = await read({ page, limit });
    found.push(...items);
    if (page >= pagination.totalPages || items.length === 0) break;
  }
  return found.slice(0, count);
}
