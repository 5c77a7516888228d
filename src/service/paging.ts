import type { Pagination } from "../contract/paging.ts";

/** The range of rows on one page of a list. */
export interface ListPage {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

/** Returns the range of the requested page. `limit` is clamped to 200 (listing, "Pages"). */
export function toListPage({ page = 1, limit }: { page?: number | undefined; limit?: number | undefined }): ListPage {
  const clamped = clampLimit(limit, { defaultLimit: 50, maxLimit: 200 });
  return { page, limit: clamped, offset: (page - 1) * clamped };
}

export const clampLimit = (limit: number | undefined, { defaultLimit, maxLimit }: { defaultLimit: number; maxLimit: number }): number =>
  Math.min(limit ?? defaultLimit, maxLimit);

export function toPagination({ page, limit }: ListPage, total: number): Pagination {
  return { page, limit, total, totalPages: Math.ceil(total / limit) };
}
