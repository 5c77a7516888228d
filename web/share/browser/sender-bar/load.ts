/**
 * Loads the sender's bar on the page of a share that was sent from this device, or that belongs to the account that is signed in. On other pages, only
 * this file is loaded.
 */
import { mayKnowShares } from "../../../site/browser/device/may-know-shares.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";

const PAGE = /^\/d\/([^/]+)$/;

/** The fragment with which the front page opens the page of a share that it has just sent. */
export const JUST_SENT = "#sent";

/** The fragment with which the list of an account's shares opens the settings of one. */
const EDITED = "#edit";

export async function loadSenderBar(): Promise<void> {
  const { hash } = location;
  if (hash === JUST_SENT || hash === EDITED) history.replaceState(history.state, "", location.pathname + location.search);
  const shortId = PAGE.exec(location.pathname)?.[1];
  if (shortId === undefined) return;
  const share = (await findRemembered(shortId)) ?? toOwnShare(shortId);
  // A submission has its receipt instead of the bar, and an unfinished upload into a folder is continued on the page of the folder.
  if (!share || share.requestToken || share.folder) return;
  await (await import("./main.tsx")).showSenderBar(share, { isJustSent: hash === JUST_SENT, isEdited: hash === EDITED });
}

async function findRemembered(shortId: string): Promise<SentShare | undefined> {
  if (!(await mayKnowShares())) return undefined;
  const { findSentShare } = await import("../../../site/browser/device/shares.ts");
  return await findSentShare(shortId);
}

/** Returns the share if the page says that it belongs to the account that is signed in. */
function toOwnShare(shortId: string): SentShare | undefined {
  const { own } = document.getElementById("main")?.dataset ?? {};
  if (own === undefined) return undefined;
  const { account, site = location.origin } = document.body.dataset;
  return {
    shortId,
    sharePath: `/d/${shortId}`,
    shareUrl: `${site}/d/${shortId}`,
    shareToken: "",
    files: [],
    createdAtMs: 0,
    isComplete: true,
    isGrowable: own === "growable",
    accountId: account,
  };
}
