/** Starts downloads of files, without leaving the page. */
import { downloadPath } from "../../files/file-views.ts";

/** Browsers start one after another. */
const PAUSE_MS = 400;
export const MAX_DOWNLOADS = 20;

export async function downloadAll(fileIds: readonly string[]): Promise<void> {
  for (const [index, id] of fileIds.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const link = Object.assign(document.createElement("a"), { href: downloadPath(id), download: "" });
    document.body.append(link);
    link.click();
    link.remove();
  }
}
