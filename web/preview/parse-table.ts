/** The rows of a CSV file: texts of cells. */
export type TableRows = readonly (readonly string[])[];

/** Maximum numbers of rows and columns in a preview (previews, "Documents"). */
const MAX_ROWS = 1_000;
const MAX_COLUMNS = 100;
const DELIMITERS = [",", ";", "\t", "|"] as const;
const QUOTE = '"';
/** The number of lines from which the delimiter is derived. */
const SAMPLE_LINES = 20;

export interface Table {
  readonly rows: TableRows;
  /** Whether the text has more rows or columns. */
  readonly isCut: boolean;
}

const isTabbed = (name: string, contentType: string): boolean =>
  /\.(?:tsv|tab)$/i.test(name) || /^text\/tab-separated-values\b/.test(contentType);

/** Returns whether a text is a table: CSV or TSV by its media type or its extension. */
export const isTable = (name: string, contentType: string): boolean =>
  isTabbed(name, contentType) || /\.csv$/i.test(name) || /^(?:text|application)\/csv\b/.test(contentType);

/** Reads a text as CSV (RFC 4180), with the delimiter that its first lines suggest. Takes time in proportion to its length, whatever it contains. */
export function parseTable(text: string, { name, contentType }: { readonly name: string; readonly contentType: string }): Table {
  const delimiter = isTabbed(name, contentType) ? "\t" : findDelimiter(text);
  const rows: string[][] = [];
  let isCut = false;
  let row: string[] = [];
  let at = 0;
  while (at <= text.length && rows.length < MAX_ROWS) {
    const { cell, end } = readCell(text, at, delimiter);
    if (row.length < MAX_COLUMNS) row.push(cell);
    else isCut = true;
    at = end + 1;
    if (text[end] === delimiter) continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return { rows, isCut: isCut || at < text.length };
}

/** Reads the cell that starts at a position, to the delimiter or the line end that ends it. A quote that nothing closes is text. */
function readCell(text: string, start: number, delimiter: string): { readonly cell: string; readonly end: number } {
  if (text[start] === QUOTE) {
    for (let at = start + 1, cell = ""; ; ) {
      const quote = text.indexOf(QUOTE, at);
      if (quote < 0) return { cell: text.slice(start), end: text.length };
      cell += text.slice(at, quote);
      if (text[quote + 1] !== QUOTE) {
        const end = findCellEnd(text, quote + 1, delimiter);
        return { cell: cell + text.slice(quote + 1, end).trimEnd(), end };
      }
      cell += QUOTE;
      at = quote + 2;
    }
  }
  const end = findCellEnd(text, start, delimiter);
  return { cell: text.slice(start, end).trim(), end };
}

function findCellEnd(text: string, start: number, delimiter: string): number {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end += 1;
  return end;
}

/** Returns the delimiter that occurs most evenly, at least once in each of the first lines; a comma if none does. */
function findDelimiter(text: string): string {
  const lines = text
    .split("\n", SAMPLE_LINES)
    .map((line) => line.replace(/"[^"]*"/g, ""))
    .filter((line) => line.trim() !== "");
  const scored = DELIMITERS.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const even = counts.filter((count) => count > 0 && count === counts[0]).length;
    return { delimiter, score: even * 1000 + Math.min(999, counts[0] ?? 0) };
  });
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).delimiter;
}
