import type { FileSort, ListQuery } from "./file-views.ts";

/** The class of each column. */
export const COLUMN_OF = { name: "name", size: "size", created: "date" } as const;

export const toAriaSort = (query: ListQuery, sort: FileSort): "ascending" | "descending" | undefined =>
  query.sort !== sort ? undefined : query.order === "asc" ? "ascending" : "descending";
