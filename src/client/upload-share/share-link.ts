import { linkWithKey, type SourceTransform } from "./source-transform.ts";
import type { UpContext, UpOptions } from "./up-options.ts";

export type LinkOnce = (share: { readonly shortId: string; readonly shareUrl: string }) => Promise<string>;

/** Returns a function that reports the link at its first call. The function resolves to the link. */
export function linkOnce({ transform, into }: UpOptions, { events }: UpContext): LinkOnce {
  let reported: Promise<void> | undefined;
  return async ({ shortId, shareUrl }) => {
    const url = linkWithKey(into?.link ?? shareUrl, transform);
    reported ??= events.onLink({ shortId, url });
    await reported;
    return url;
  };
}

/** Returns the private link, with the key of encrypted files. */
export const privateLink = (handoffUrl: string | undefined, transform: SourceTransform | undefined): string | undefined =>
  handoffUrl === undefined ? undefined : linkWithKey(handoffUrl, transform);
