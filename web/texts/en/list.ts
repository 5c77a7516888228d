import { counted } from "../../site/format.ts";

/** The list of a shipment's files. */
export const list = {
  allFiles: "All files",
  path: "Folder",
  search: "Search all files",
  find: "Search",
  clear: "Clear search",
  found: (count: number) => (count === 0 ? "Nothing found." : `${counted(count, "en", "file", "files")} found.`),
  sort: "Sort by",
  sorts: { name: "Name", size: "Size", newest: "Newest" },
  view: "View",
  views: { list: "List", grid: "Grid" },
  select: "Select",
  openFolder: "Open folder",
  page: (page: number, pages: number) => `Page ${page} of ${pages}`,
  previous: "Previous page",
  next: "Next page",
  showMore: (count: number) => `Show ${count} more`,
  downloadSelected: "Download selected as ZIP",
  clearSelection: "Clear selection",
};

export type ListTexts = typeof list;
