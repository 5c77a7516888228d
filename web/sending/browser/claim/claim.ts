/** Adds shares of this device, which were sent without an account, to the signed-in account. */
import { claim as texts } from "#texts/site";
import { ApiRefusal, callApi } from "../../../site/browser/api.ts";
import { listSentShares, type SentShare, updateShare } from "../../../site/browser/device/shares.ts";
import { getAccountId } from "../../../site/browser/page/signed-in.ts";
import { changeSentShare } from "../sender-calls.ts";

/** The number of simultaneous requests. */
const PARALLEL = 6;

/**
 * Lists the shares that can be claimed: completely sent without an account, not declined unless `isDeclinedToo`, not claimed and not ended. Asks the
 * server for each, so that each offered claim succeeds.
 */
export async function listClaimable({ isDeclinedToo = false } = {}): Promise<readonly SentShare[]> {
  const mayBe = (await listSentShares()).filter(
    ({ claimToken, isComplete, isClaimDeclined, deletesAtMs }) =>
      claimToken && isComplete && (isDeclinedToo || !isClaimDeclined) && deletesAtMs === undefined,
  );
  const open: SentShare[] = [];
  for (let from = 0; from < mayBe.length; from += PARALLEL) {
    const some = mayBe.slice(from, from + PARALLEL);
    const isOpen = (share: SentShare): Promise<boolean> =>
      changeSentShare(share).then(
        () => true,
        () => false,
      );
    const opens = await Promise.all(some.map(isOpen));
    open.push(...some.filter((_, index) => opens[index]));
  }
  return open;
}

/**
 * Claims one share; a share that this account has already claimed is claimed again. Resolves to the reason of a failure, as a sentence, otherwise to
 * undefined.
 */
export async function claimShare({ shortId, claimToken }: SentShare): Promise<string | undefined> {
  try {
    await callApi("POST /files/claim", { fileId: shortId, claimToken: claimToken ?? "" });
  } catch (error) {
    const status = error instanceof ApiRefusal ? error.status : undefined;
    // These refusals are permanent, so the share is not offered again.
    if (status === 403 || status === 404 || status === 409) await declineClaims([shortId]);
    if (status === 404) return texts.ended;
    if (status === 409) return texts.taken;
    return error instanceof Error ? error.message : String(error);
  }
  // The account's session replaces these tokens.
  await updateShare(shortId, { claimToken: undefined, deletionToken: undefined, shareToken: "", accountId: getAccountId() });
  return undefined;
}

/** Stops offering these shares. The shares do not change. */
export async function declineClaims(shortIds: readonly string[]): Promise<void> {
  await Promise.all(shortIds.map((shortId) => updateShare(shortId, { isClaimDeclined: true })));
}

/** Returns the name by which a person recognizes a share. */
export function nameOfShare({ title, files }: SentShare): string {
  const first = files[0]?.path ?? "";
  return title || (files.length > 1 ? texts.andMore(first, files.length - 1) : first);
}
