import { escapeHtml } from "./escape-html.ts";
import type { TableRows } from "./parse-table.ts";
import type { WorkBudget } from "./work-budget.ts";

/** Numbers, amounts and percentages, which are aligned at their ends. */
const NUMBER = /^[-+−]?[€$£]?\d[\d.,'’\s\u00a0\u202f]{0,40}(?:%|€|\s?[A-Z]{3})?$/;

/** Renders rows as an HTML table. The first row is the header. Pauses between rows, so that no table blocks the event loop. */
export async function renderTable([header = [], ...rows]: TableRows, budget: WorkBudget): Promise<string> {
  const columns = Math.max(header.length, ...rows.map((row) => row.length));
  const html = [`<thead><tr>${renderCells(header, columns, (cell) => `<th scope="col">${cell}</th>`)}</tr></thead><tbody>`];
  for (const row of rows) {
    html.push(`<tr>${renderCells(row, columns, (cell, text) => `<td${NUMBER.test(text) ? ' class="right"' : ""}>${cell}</td>`)}</tr>`);
    await budget.pause();
  }
  return `<table>${html.join("")}</tbody></table>`;
}

const renderCells = (row: readonly string[], columns: number, render: (cell: string, text: string) => string): string =>
  Array.from({ length: columns }, (_, index) => render(escapeHtml(row[index] ?? ""), row[index] ?? "")).join("");
