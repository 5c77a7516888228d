/** Loads the sender's bar on the page of a share that was sent from this device. On other pages, only this file is loaded. */
import { mayKnowShares } from "../../../site/browser/device/may-know-shares.ts";

const PAGE = /^\/d\/([^/]+)$/;

/** The part of the fragment with which the front page opens the page of a share that it has just sent. */
export const JUST_SENT = "sent";

export async function loadSenderBar(): Promise<void> {
  const fragment = location.hash.slice(1).split("&");
  const isJustSent = fragment.includes(JUST_SENT);
  // The key of encrypted files stays in the URL.
  const rest = fragment.filter((part) => part !== JUST_SENT).join("&");
  if (isJustSent) history.replaceState(history.state, "", location.pathname + location.search + (rest && `#${rest}`));
  const shortId = PAGE.exec(location.pathname)?.[1];
  if (shortId === undefined || !(await mayKnowShares())) return;
  const { findSentShare } = await import("../../../site/browser/device/shares.ts");
  const share = await findSentShare(shortId);
  // A submission has its receipt instead of the bar, and an unfinished upload into a folder is continued on the page of the folder.
  if (share && !share.requestToken && !share.folder) await (await import("./main.tsx")).showSenderBar(share, isJustSent);
}
