import { AppError } from "../errors.ts";
import { lastSegment } from "./remote-name.ts";

export interface PageHints {
  /** As asked for. */
  readonly url: URL;
  /** Whether a share link of a known service was asked for. */
  readonly rewritten: boolean;
  /** The answer's Content-Type. */
  readonly type: string | undefined;
  readonly isAttachment: boolean;
}

const LOOKED_AT_BYTES = 1024;
const PAGE_NAME = /\.(x?html?|shtml|mhtml)$/i;

/**
 * Passes a body on, unless it is a web page where a file was promised: a login, a captcha, a page with a button. A page that was asked
 * for by a name that ends in .html is a file. Throws REMOTE_NOT_A_FILE before the first byte.
 */
export async function* refusePage(body: AsyncIterable<Uint8Array>, hints: PageHints): AsyncGenerator<Uint8Array> {
  if (!isSuspect(hints)) {
    yield* body;
    return;
  }
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of body) {
    if (heldBytes >= LOOKED_AT_BYTES) {
      yield chunk;
      continue;
    }
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < LOOKED_AT_BYTES) continue;
    checkHead(held);
    yield* held;
  }
  if (heldBytes >= LOOKED_AT_BYTES) return;
  checkHead(held);
  yield* held;
}

function isSuspect({ url, rewritten, type, isAttachment }: PageHints): boolean {
  if (!/^\s*(text\/html|application\/xhtml\+xml)\b/i.test(type ?? "") || isAttachment) return false;
  return rewritten || !PAGE_NAME.test(lastSegment(url));
}

function checkHead(chunks: readonly Uint8Array[]): void {
  const text = Buffer.concat(chunks).subarray(0, LOOKED_AT_BYTES).toString("latin1");
  if (!/^(\xef\xbb\xbf)?\s*<(!doctype\s+html|html|head|body|script|meta|title|!--|\?xml)/i.test(text)) return;
  throw new AppError(
    "REMOTE_NOT_A_FILE",
    "The URL leads to a web page, such as a login or a page with a download button, and not to a file. Send the address of the file itself.",
  );
}
