import { showThumbnails } from "../../../site/browser/page/main-element.ts";
import { whenVisible } from "../../../site/browser/page/when-visible.ts";

const FIRST_DELAY_MS = 2000;
const MAX_DELAY_MS = 15_000;

/**
 * Shows the thumbnails of an added part of the list when they have been made (thumbnails, "Who sees them"): requests the part again, after growing
 * pauses, until it is complete or `row`, one of its rows, is no longer on the page.
 */
export async function followThumbnails(part: Document, row: Element | null, load: () => Promise<Document>): Promise<void> {
  let isComplete = !awaitsMore(part);
  for (let delayMs = FIRST_DELAY_MS; !isComplete; delayMs = Math.min(delayMs * 1.4, MAX_DELAY_MS)) {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await whenVisible();
    if (!row?.isConnected) return;
    const next = await load().catch(() => undefined);
    if (!next) continue;
    showThumbnails(next);
    isComplete = !awaitsMore(next);
  }
}

const awaitsMore = (page: Document): boolean => page.querySelector("main[data-refresh]") !== null;
