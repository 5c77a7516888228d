import { findSentNames } from "../../site/browser/device/sent-names.ts";
import type { FileView } from "../file-views.ts";
import { addOwnName, isUnnamed } from "../shown-name.ts";

/** The IDs of the shares whose names were read. */
const known = new Set<string>();

/** Finds the names of encrypted files that this device has sent. Resolves to whether there are new ones. */
export async function learnNames(files: readonly FileView[]): Promise<boolean> {
  const unnamed = files.filter(isUnnamed);
  const shares = unnamed.flatMap(({ shortId, links }) => [shortId, ...links.map(({ sharePath }) => sharePath.replace(/^.*\//, ""))]);
  const unread = [...new Set(shares)].filter((shortId) => !known.has(shortId));
  for (const shortId of unread) known.add(shortId);
  const found = (await Promise.all(unread.map(findSentNames))).flatMap((names) => [...names]);
  for (const [hiddenName, { path }] of found) addOwnName(hiddenName, path.replace(/^.*\//, ""));
  return found.length > 0;
}
