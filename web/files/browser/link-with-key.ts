import { findSentShare, withShareKey } from "../../site/browser/device/shares.ts";
import type { FileView } from "../file-views.ts";

/** Returns the link of a file; of an encrypted one with the key, if this device has it. */
export async function findLinkWithKey({
  encrypted,
  shortId,
  shareUrl,
}: Pick<FileView, "encrypted" | "shortId" | "shareUrl">): Promise<string> {
  const sent = encrypted ? await findSentShare(shortId).catch(() => undefined) : undefined;
  return sent === undefined ? shareUrl : withShareKey(sent, shareUrl);
}
