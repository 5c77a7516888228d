import { escapeHtml } from "./escape-html.ts";
import type { TableRows } from "./parse-table.ts";
import type { WorkBudget } from "./work-budget.ts";

/** Numbers, amounts and percentages, which are aligned at their ends. */
const NUMBER = /^[-+−]?[€$£]?\d[\d.,'’\s\u00a0\u202f]{0,40}(?:%|€|\s?[A-Z]{3})?$/;

/** The largest number of characters of a cell that is not wrapped. */
export const MAX_LINE = 32;
const RIGHT = ' class="right"';

/** Renders rows as an HTML table. The first row is the header. Pauses between rows, so that no table blocks the event loop. */
export async function renderTable([header = [], ...rows]: TableRows, budget: WorkBudget): Promise<string> {
  const columns = Math.max(header.length, ...rows.map((row) => row.length));
  const body: string[] = [];
  // The header of a column is aligned like its numbers.
  const areNumbers = new Set(Array.from({ length: columns }, (_, index) => index));
  for (const row of rows) {
    const cells = Array.from({ length: columns }, (_, index) => {
      const text = row[index] ?? "";
      const isNumber = NUMBER.test(text);
      if (!isNumber && text !== "") areNumbers.delete(index);
      return `<td${isNumber ? RIGHT : text.length > MAX_LINE ? ' class="long"' : ""}>${escapeHtml(text)}</td>`;
    });
    body.push(`<tr>${cells.join("")}</tr>`);
    await budget.pause();
  }
  const isRight = (index: number): boolean => rows.length > 0 && areNumbers.has(index);
  const head = Array.from(
    { length: columns },
    (_, index) => `<th scope="col"${isRight(index) ? RIGHT : ""}>${escapeHtml(header[index] ?? "")}</th>`,
  );
  return `<table><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody></table>`;
}
