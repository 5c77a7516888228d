import type { FileLink } from "../file-views.ts";

/** Returns the title of a link with its address, or the address alone. */
export function describeLink({ title, shareUrl }: FileLink): string {
  const address = shareUrl.replace(/^https?:\/\//, "");
  return title === null ? address : `${title} (${address})`;
}
