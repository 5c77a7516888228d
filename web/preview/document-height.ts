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
/** The border of the frame, and a scrollbar. */
const AROUND_TABLE = 18;
const ZIP_ROW = 30;
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
  return AROUND_TABLE + (isCut ? NOTE : 0) + lines * TABLE_ROW;
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
  const rows = countRows(tree, entries.length <= MAX_OPEN_ENTRIES);
  return AROUND + (entries.length < count ? NOTE : 0) + Math.max(Math.min(ROWS_TO_OPEN, countRows(tree, true)), rows) * ZIP_ROW;
}

const countRows = (folder: ZipFolder, isOpen: boolean): number =>
  folder.files.length + folder.folders.reduce((rows, inner) => rows + 1 + (isOpenFirst(folder, isOpen) ? countRows(inner, isOpen) : 0), 0);
