import { toReadableText } from "../../src/lib/text/readable-text.ts";
import type { PageContext } from "../site/page-context.ts";
import { escapeHtml } from "./escape-html.ts";
import { formatJson, isJson } from "./format-json.ts";
import { highlight } from "./highlight.ts";
import { isProse } from "./is-prose.ts";
import { findLanguage } from "./languages.ts";
import { renderMarkdown } from "./markdown.ts";
import { isTable, parseTable } from "./parse-table.ts";
import { renderTextPreview } from "./preview-document.tsx";
import { renderTable } from "./render-table.ts";
import { WorkBudget } from "./work-budget.ts";

/** The longest time for the colors or the formatting of one text. */
const BUDGET_MS = 500;

export interface TextPreview {
  readonly name: string;
  readonly contentType: string;
  readonly kind: "text" | "markdown";
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}

/** Renders text, code, a table, JSON or Markdown as a document that has no scripts and loads nothing, whatever the text contains. */
export async function renderText(context: PageContext, { bytes, ...preview }: TextPreview): Promise<string> {
  const budget = new WorkBudget(BUDGET_MS);
  await budget.pause();
  const text = toReadableText(bytes);
  const { name, contentType, kind, isCut } = preview;
  if (kind === "markdown") return renderTextPreview(context, { ...preview, html: await renderMarkdown(text, budget) });
  if (isTable(name, contentType)) {
    const table = parseTable(text, preview);
    const html = await renderTable(table.rows, budget);
    return renderTextPreview(context, { name, kind: "table", isCut: isCut || table.isCut, html });
  }
  const shown = isJson(name, contentType) ? await formatJson(text, preview, budget) : text;
  const parser = findLanguage(isJson(name, contentType) ? "json" : name);
  return renderTextPreview(context, {
    name,
    kind: parser === undefined && isProse(name, contentType, text) ? "prose" : kind,
    isCut,
    html: parser === undefined ? escapeHtml(shown) : await highlight(shown, parser, budget),
  });
}
