import type { Ctx } from "../../src/context.ts";
import { withTimeout } from "../../src/lib/concurrency/with-timeout.ts";
import { toReadableText } from "../../src/lib/text/readable-text.ts";
import type { PreviewKind } from "../../src/service/downloads/preview-kind.ts";
import { readPreviewText, readPreviewZip } from "../../src/service/downloads/read-preview.ts";
import type { ViewedFile } from "../../src/service/shares/queries.ts";
import { estimateTableHeight, estimateTextHeight, estimateZipHeight } from "../preview/document-height.ts";
import { formatJson, isJson } from "../preview/format-json.ts";
import { isProse } from "../preview/is-prose.ts";
import { isTable, parseTable } from "../preview/parse-table.ts";
import { WorkBudget } from "../preview/work-budget.ts";
import type { FilePreview } from "./share-page-props.ts";

/** The largest text that the page contains, for its copy button and the height of its frame (previews, "Documents"). */
const MAX_SHORT_BYTES = 16 * 1024;
const BUDGET_MS = 100;
/** How long the page waits for a store that does not answer. */
const MAX_WAIT_MS = 1000;

type DocumentFacts = Pick<FilePreview, "text" | "heightPx" | "layout">;

const NO_FACTS: DocumentFacts = { text: null, heightPx: null, layout: null };

/** Reads what the page of a share says about a document beside its frame: the text of a short one, and the height of its frame. */
export async function readDocumentFacts(ctx: Pick<Ctx, "blobs">, file: ViewedFile, kind: PreviewKind): Promise<DocumentFacts> {
  const unread: DocumentFacts = { ...NO_FACTS, layout: kind === "text" && isTable(file.name, file.content_type) ? "table" : null };
  if (kind !== "zip" && file.size_bytes > MAX_SHORT_BYTES) return unread;
  try {
    return await withTimeout(readFacts(ctx, file, kind), MAX_WAIT_MS, () => unread);
  } catch {
    // The page works without the bytes. The frame shows the error.
    return unread;
  }
}

async function readFacts(ctx: Pick<Ctx, "blobs">, file: ViewedFile, kind: PreviewKind): Promise<DocumentFacts> {
  if (kind === "zip") return { ...NO_FACTS, heightPx: estimateZipHeight(await readPreviewZip(ctx, file)) };
  return kind === "text" || kind === "markdown" ? await readShortText(ctx, file, kind) : NO_FACTS;
}

async function readShortText(ctx: Pick<Ctx, "blobs">, file: ViewedFile, kind: "text" | "markdown"): Promise<DocumentFacts> {
  const text = toReadableText((await readPreviewText(ctx, file)).bytes);
  const { name, content_type: contentType } = file;
  if (kind === "text" && isTable(name, contentType))
    return { text, heightPx: estimateTableHeight(parseTable(text, { name, contentType })), layout: "table" };
  const isFormatted = kind === "text" && isJson(name, contentType);
  const shown = isFormatted ? await formatJson(text, { isCut: false }, new WorkBudget(BUDGET_MS)) : text;
  return {
    text,
    heightPx: estimateTextHeight(kind, shown),
    layout: kind === "markdown" || shown !== text ? null : isProse(name, contentType, text) ? "prose" : "plain",
  };
}
