/** Shares the files of an ended share again, and opens the page of the new share. Without this script, a form does the same. */
import { callApi } from "../../site/browser/api.ts";
import { mayKnowShares } from "../../site/browser/device/may-know-shares.ts";
import { findSentShare, type SentShare, saveShare, toPage, withShareKey } from "../../site/browser/device/shares.ts";

/** Resolves to the path of the new share's page, which shows the code that the server shows once. Throws like `callApi`. */
export async function shareAgain(shortId: string): Promise<string> {
  const { data } = await callApi("POST /shares/{shortId}/share-again", { shortId });
  const ended = (await mayKnowShares()) ? await findSentShare(shortId).catch(() => undefined) : undefined;
  const withKey = (link: string): string => (ended === undefined ? link : withShareKey(ended, link));
  const share: SentShare = {
    shortId: data.shortId,
    shareUrl: withKey(data.shareUrl),
    sharePath: data.sharePath,
    shareToken: "",
    ...(data.unlockCode !== undefined && { unlockCode: data.unlockCode }),
    ...(data.handoffUrl !== undefined && { handoffUrl: withKey(data.handoffUrl) }),
    ...(ended?.title !== undefined && { title: ended.title }),
    files: ended?.files ?? [],
    createdAtMs: Date.now(),
    isComplete: true,
    accountId: document.body.dataset.account,
    fileKey: ended?.fileKey,
  };
  if (ended !== undefined || data.handoffUrl !== undefined) await saveShare(share).catch(() => undefined);
  return toPage(share);
}
