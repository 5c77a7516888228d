import { toReadableText } from "../../src/lib/text/readable-text.ts";
import type { PageContext } from "../site/page-context.ts";
import { escapeHtml } from "./escape-html.ts";
import { highlight } from "./highlight.ts";
import { findLanguage } from "./languages.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderTextPreview } from "./preview-document.tsx";
import { WorkBudget } from "./work-budget.ts";

/** The longest time for the colors or the formatting of one text. */
const BUDGET_MS = 500;

export interface TextPreview {
  readonly name: string;
  readonly kind: "text" | "markdown";
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}

/** Renders text, code or Markdown as a document that has no scripts and loads nothing, whatever the text contains. */
export async function renderText(context: PageContext, { bytes, ...preview }: TextPreview): Promise<string> {
  const budget = new WorkBudget(BUDGET_MS);
  await budget.pause();
  const text = toReadableText(bytes);
  if (preview.kind === "markdown") return renderTextPreview(context, { ...preview, html: await renderMarkdown(text, budget) });
  const parser = findLanguage(preview.name);
  return renderTextPreview(context, { ...preview, html: parser === undefined ? escapeHtml(text) : await highlight(text, parser, budget) });
}
