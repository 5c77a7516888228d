import { linkWithKey, type SourceTransform } from "./source-transform.ts";
import type { UpContext, UpOptions } from "./up-options.ts";

export type LinkOnce = (share: { readonly shortId: string; readonly shareUrl: string }) => Promise<string>;

/** Reports the link, the first time. Resolves to it. */
export function linkOnce({ transform, into }: UpOptions, { events }: UpContext): LinkOnce {
  let reported: Promise<void> | undefined;
  return async ({ shortId, shareUrl }) => {
    const url = linkWithKey(into?.link ?? shareUrl, transform);
    reported ??= events.onLink({ shortId, url });
    await reported;
    return url;
  };
}

/** A private link, with the key of encrypted files. */
export const privateLink = (handoffUrl: string | undefined, transform: SourceTransform | undefined): string | undefined =>
  handoffUrl === undefined ? undefined : linkWithKey(handoffUrl, transform);
