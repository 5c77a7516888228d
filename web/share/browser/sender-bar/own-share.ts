import { mayKnowShares } from "../../../site/browser/device/may-know-shares.ts";
import { findSentShare, type SentShare, withUrlKey } from "../../../site/browser/device/shares.ts";

/** What a list of the account shows of a share. */
export interface ListedShare {
  readonly shortId: string;
  /** The link, with the key of encrypted files if this device knows it. */
  readonly shareUrl: string;
}

/** Returns a share of the account as this device remembers it, otherwise with what a list shows. */
export async function findOwnShare({ shortId, shareUrl }: ListedShare): Promise<SentShare> {
  const known = (await mayKnowShares()) ? await findSentShare(shortId).catch(() => undefined) : undefined;
  const { account: accountId } = document.body.dataset;
  // Each share of the list is the account's, also if it was claimed on another device.
  if (known) return withUrlKey({ ...known, claimToken: undefined, accountId }, known, new URL(shareUrl).hash);
  return {
    shortId,
    shareUrl,
    sharePath: `/d/${shortId}`,
    shareToken: "",
    files: [],
    createdAtMs: 0,
    isComplete: true,
    isGrowable: false,
    accountId,
  };
}
