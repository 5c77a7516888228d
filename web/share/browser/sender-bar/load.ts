/**
 * Loads the sender's bar on the page of a share that was sent from this device, or that belongs to the account that is signed in. On other pages, only
 * this file is loaded.
 */
import { isIdentity, toFragment } from "../../../../src/transfer/encryption/fragment-key.ts";
import { mayKnowShares } from "../../../site/browser/device/may-know-shares.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";
import { forgetBarSpace } from "./bar-space.ts";
import { JUST_SENT } from "./just-sent.ts";
import { findEndedPage, shortIdOfPage } from "./page-id.ts";

/** The part of the fragment with which the list of an account's shares opens the settings of one. */
const EDITED = "edit";

export async function loadSenderBar(): Promise<void> {
  const fragment = location.hash.slice(1).split("&");
  const [isJustSent, isEdited] = [fragment.includes(JUST_SENT), fragment.includes(EDITED)];
  const left = fragment.filter((part) => ![JUST_SENT, EDITED].includes(part)).join("&");
  // The key of encrypted files stays in the URL.
  if (isJustSent || isEdited) history.replaceState(history.state, "", location.pathname + location.search + (left && `#${left}`));
  const hash = isKeyFragment(left) ? `#${left}` : "";
  const shortId = shortIdOfPage();
  if (shortId === undefined) return;
  const ended = findEndedPage();
  if (ended) {
    forgetBarSpace(shortId);
    ended.querySelector("form[data-remove]")?.addEventListener("submit", () => void forgetRemoved(shortId));
    return;
  }
  const share = (await findRemembered(shortId, hash)) ?? toOwnShare(shortId, hash);
  // A submission has its receipt instead of the bar, and an unfinished upload into a folder is continued on the page of the folder.
  if (!share || share.requestToken || share.folder) return forgetBarSpace(shortId);
  await (await import("./main.tsx")).showSenderBar(share, { isJustSent, isEdited });
}

/** Forgets a share that its owner removes from the list. */
async function forgetRemoved(shortId: string): Promise<void> {
  if (!(await mayKnowShares())) return;
  const { removeShare } = await import("../../../site/browser/device/shares.ts");
  await removeShare(shortId).catch(() => undefined);
}

/** Whether a fragment is a key alone, as in the links of clients. The author of a link may have chosen any fragment. */
function isKeyFragment(fragment: string): boolean {
  const identity = fragment.slice(toFragment("").length);
  return isIdentity(identity) && fragment === toFragment(identity);
}

async function findRemembered(shortId: string, hash: string): Promise<SentShare | undefined> {
  if (!(await mayKnowShares())) return undefined;
  const { findSentShare, withUrlKey } = await import("../../../site/browser/device/shares.ts");
  const share = await findSentShare(shortId);
  if (!share) return undefined;
  // Encrypted files may have joined a share that another device sent, so the present page says whether others can join.
  const isGrowable = share.isGrowable === undefined ? undefined : isGrowableNow(hash);
  return withUrlKey({ ...share, isGrowable }, share, hash);
}

const isGrowableNow = (hash: string): boolean => document.getElementById("main")?.dataset.own === "growable" && hash === "";

/** Returns the share if the page says that it belongs to the account that is signed in. `hash` has the key of encrypted files. */
function toOwnShare(shortId: string, hash: string): SentShare | undefined {
  const { own } = document.getElementById("main")?.dataset ?? {};
  if (own === undefined) return undefined;
  const { account, site = location.origin } = document.body.dataset;
  return {
    shortId,
    sharePath: `/d/${shortId}`,
    shareUrl: `${site}/d/${shortId}${hash}`,
    shareToken: "",
    files: [],
    createdAtMs: 0,
    isComplete: true,
    isGrowable: isGrowableNow(hash),
    accountId: account,
  };
}
