/** The requests of a share's owner. Each throws like `callApi`. */
import type { RequestInput } from "../../../src/service/contract.ts";
import { callApi } from "../../site/browser/api.ts";

/** Closes a share, also while the page is being left. */
export const closeShare = (shortId: string, force = false): Promise<unknown> =>
  callApi("POST /shares/{shortId}/close", { shortId, ...(force && { force }) });

/** Removes an ended share from the list, also while the page is being left. */
export const removeShare = (shortId: string): Promise<unknown> => callApi("POST /shares/{shortId}/remove-from-list", { shortId });

type ExpiryChange = Pick<RequestInput<"updateShareSettings">, "extendTtl" | "expiresAt" | "force">;

/** Changes the expiry of a share. Resolves to its new expiry. */
export async function changeExpiry(shortId: string, change: ExpiryChange): Promise<string | null> {
  return (await callApi("PATCH /files/share-settings", { shortId, ...change })).data.expiresAt;
}
