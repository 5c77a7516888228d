import type { DeletionPreview } from "../calls.ts";

type LosingLink = DeletionPreview["links"][number];

/**
 * Returns whether a deletion ends only links that nobody is likely to have. Every file that is uploaded here has a link of its own, so a question about
 * each of them would only be in the way.
 */
export const endsOnlyOwnLinks = ({ ending, shrinking, links }: DeletionPreview): boolean =>
  shrinking === 0 && ending === links.length && !links.some(isKnown);

/** Whether people probably have a link: it was sent by mail, is public, or was made for somebody. */
const isKnown = ({ recipients, visibility, files, title, shortId, sharePath }: LosingLink): boolean =>
  recipients !== null || visibility === "public" || files > 1 || title !== null || sharePath !== `/d/${shortId}`;
