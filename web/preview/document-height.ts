import type { ZipDirectory } from "../../src/lib/formats/zip-directory.ts";
import type { Table } from "./parse-table.ts";
import { MAX_LINE } from "./render-table.ts";
import { isOpenFirst, MAX_OPEN_ENTRIES, toZipTree, type ZipFolder } from "./zip-tree.ts";

/** Sizes of `preview.css` in pixels: the space around the content with the frame's border, and a line or row of each kind. */
const AROUND = 34;
const TEXT_LINE = 21;
const MARKDOWN_LINE = 24;
const MARKDOWN_HEADING = 60;
const MARKDOWN_GAP = 16;
const TABLE_ROW = 30;
const TABLE_BORDER = 2;
const SCROLLBAR = 16;
/** The characters of a row of a table that needs no scrollbar in the narrow column of a page; the space around a cell counts as characters. */
const TABLE_COLUMNS = 58;
const AROUND_CELL = 4;
const ZIP_ROW = 30;
const ZIP_LINE = 21;
const NOTE = 33;
/** The characters of a line in the narrow column of a page, and on a phone. */
const COLUMNS = 60;
const PHONE_COLUMNS = 36;
/** The height up to which a text has the space that it needs on a phone. On other screens, some of it stays empty; a longer text scrolls on a phone. */
const SHORT = AROUND + 12 * TEXT_LINE;

/** Estimates the height in which a text needs no scrolling, in pixels. */
export function estimateTextHeight(kind: "text" | "markdown", text: string): number {
  const lines = text.trimEnd().split("\n");
  const estimate = (columns: number): number => AROUND + lines.reduce((height, line) => height + estimateLine(kind, line, columns), 0);
  return Math.max(estimate(COLUMNS), Math.min(estimate(PHONE_COLUMNS), SHORT));
}

function estimateLine(kind: "text" | "markdown", line: string, columns: number): number {
  const wrapped = Math.max(1, Math.ceil(line.length / columns));
  if (kind === "text") return wrapped * TEXT_LINE;
  if (line.trim() === "") return MARKDOWN_GAP;
  return line.startsWith("#") ? MARKDOWN_HEADING : wrapped * MARKDOWN_LINE;
}

/** Estimates the height in which a table needs no scrolling, in pixels. */
export function estimateTableHeight({ rows, isCut }: Table): number {
  const lines = rows.reduce((count, row) => count + Math.max(1, ...row.map(countCellLines)), 0);
  return TABLE_BORDER + (isWide(rows) ? SCROLLBAR : 0) + (isCut ? NOTE : 0) + lines * TABLE_ROW;
}

function isWide(rows: Table["rows"]): boolean {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, Math.min(cell.length, MAX_LINE) + AROUND_CELL);
  return widths.reduce((sum, width) => sum + width, 0) > TABLE_COLUMNS;
}

const countCellLines = (cell: string): number =>
  cell.split("\n").reduce((count, line) => count + (line.length > MAX_LINE ? Math.ceil(line.length / MAX_LINE) : 1), 0);

/** The rows for which a ZIP with closed folders has space, because a folder that is opened needs it. */
const ROWS_TO_OPEN = 14;

/** Estimates the height in which the list of a ZIP needs no scrolling when it is shown first, in pixels. */
export function estimateZipHeight(directory: ZipDirectory | undefined): number {
  if (directory === undefined) return AROUND + NOTE;
  const { entries, count } = directory;
  const tree = toZipTree(entries);
  const isOpen = entries.length <= MAX_OPEN_ENTRIES;
  const measure = (columns: number): number => {
    const toOpen = measureRows(tree, { isOpen: true, columns });
    return Math.max(Math.min(ROWS_TO_OPEN * ZIP_ROW, toOpen), measureRows(tree, { isOpen, columns }));
  };
  return AROUND + (entries.length < count ? NOTE : 0) + Math.min(measure(PHONE_COLUMNS), measure(COLUMNS) + MAX_EMPTY);
}

/** The space that stays empty on other screens for the lines that the names need on a phone. */
const MAX_EMPTY = 2 * ZIP_LINE;
/** The characters that the size of an entry takes from its line, and the folder around it. */
const ZIP_SIZE = 14;
const ZIP_INDENT = 3;
const MIN_ZIP_COLUMNS = 8;

function measureRows(folder: ZipFolder, { isOpen, columns }: { readonly isOpen: boolean; readonly columns: number }): number {
  const lines = (name: string): number => Math.ceil(Math.max(1, name.length) / Math.max(MIN_ZIP_COLUMNS, columns - ZIP_SIZE));
  const row = ({ name }: { readonly name: string }): number => ZIP_ROW + (lines(name) - 1) * ZIP_LINE;
  const inside = { isOpen, columns: columns - ZIP_INDENT };
  return [
    ...folder.files.map(row),
    ...folder.folders.map((inner) => row(inner) + (isOpenFirst(folder, isOpen) ? measureRows(inner, inside) : 0)),
  ].reduce((sum, height) => sum + height, 0);
}
