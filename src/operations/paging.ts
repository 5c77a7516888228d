import type { Pagination } from "../contract/paging.ts";

export interface Page {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

/** Which page is asked for: `limit` past the most is the most (decisions, "Listing"). */
export function toPage({ page = 1, limit }: { page?: number | undefined; limit?: number | undefined }): Page {
  const clamped = clampLimit(limit, { standard: 50, most: 200 });
  return { page, limit: clamped, offset: (page - 1) * clamped };
}

export const clampLimit = (limit: number | undefined, { standard, most }: { standard: number; most: number }): number =>
  Math.min(limit ?? standard, most);

export function toPagination({ page, limit }: Page, total: number): Pagination {
  return { page, limit, total, totalPages: Math.ceil(total / limit) };
}
