/** Shares the files of an ended share again, and opens the page of the new share. Without this script, a form does the same. */
import { callApi } from "../../site/browser/api.ts";
import { mayKnowShares } from "../../site/browser/device/may-know-shares.ts";
import { findSentShare, type SentFile, type SentShare, saveShare, toPage, withShareKey } from "../../site/browser/device/shares.ts";

/**
 * Shares the ended share of a form again, once if it is called twice. Resolves to the path of the new share's page, which shows the code that the
 * server shows once. Throws like `callApi`.
 */
export async function shareAgain(form: HTMLFormElement): Promise<string> {
  const { again: shortId = "" } = form.dataset;
  const key = form.querySelector<HTMLInputElement>("[name=key]")?.value;
  const { data } = await callApi("POST /shares/{shortId}/share-again", { shortId }, key);
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
    files: ended === undefined ? [] : await findLeft(ended, data.shortId),
    createdAtMs: Date.now(),
    isComplete: true,
    accountId: document.body.dataset.account,
    fileKey: ended?.fileKey,
  };
  if (ended !== undefined || data.handoffUrl !== undefined) await saveShare(share).catch(() => undefined);
  return toPage(share);
}

/** Returns the files of the ended share that the new one has. If some are missing, files with hidden names are left out, because nothing says which. */
async function findLeft({ files }: SentShare, shortId: string): Promise<readonly SentFile[]> {
  if (files.length < 2) return files;
  const share = await callApi("GET /files/share/{shortId}", { shortId }).catch(() => undefined);
  if (share === undefined) return [];
  const paths = share.files?.map(({ name, relativePath }) => relativePath ?? name) ?? [share.name];
  if (paths.length === files.length) return files;
  const left = new Set(paths.map((path) => path.replace(/\.age$/, "")));
  return files.filter(({ path }) => left.has(path.replace(/\.age$/, "")));
}
