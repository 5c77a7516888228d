import { AppError } from "../errors.ts";
import { lastSegment } from "./source-name.ts";

export interface PageHints {
  /** The requested URL. */
  readonly url: URL;
  /** Whether the requested URL was a share link of a known service. */
  readonly isRewritten: boolean;
  /** The response's Content-Type. */
  readonly type: string | undefined;
  readonly isAttachment: boolean;
}

const HEAD_BYTES = 1024;
const PAGE_NAME = /\.(x?html?|shtml|mhtml)$/i;

/**
 * Yields a body, unless it is a web page instead of a file: a login, a captcha, a page with a button. A page requested by a name that ends in .html
 * is a file. Throws REMOTE_NOT_A_FILE before the first byte.
 */
export async function* rejectWebPage(body: AsyncIterable<Uint8Array>, hints: PageHints): AsyncGenerator<Uint8Array> {
  if (!isSuspect(hints)) {
    yield* body;
    return;
  }
  const head: Uint8Array[] = [];
  let headBytes = 0;
  for await (const chunk of body) {
    if (headBytes >= HEAD_BYTES) {
      yield chunk;
      continue;
    }
    head.push(chunk);
    headBytes += chunk.length;
    if (headBytes < HEAD_BYTES) continue;
    checkHead(head);
    yield* head;
  }
  if (headBytes >= HEAD_BYTES) return;
  checkHead(head);
  yield* head;
}

function isSuspect({ url, isRewritten, type, isAttachment }: PageHints): boolean {
  if (!/^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type ?? "") || isAttachment) return false;
  return isRewritten || !PAGE_NAME.test(lastSegment(url));
}

function checkHead(chunks: readonly Uint8Array[]): void {
  const text = Buffer.concat(chunks).subarray(0, HEAD_BYTES).toString("latin1");
  if (!/^(\xef\xbb\xbf)?\s*<(!doctype\s+html|html|head|body|script|meta|title|!--|\?xml)/i.test(text)) return;
  throw new AppError("REMOTE_NOT_A_FILE", "The URL leads to a web page, not to a file. Send the URL of the file itself.");
}
