import { findPending, type PendingFile } from "../../site/browser/device/pending-files.ts";
import { type ChosenFile, type Known, pickNew } from "./chosen-files.ts";

/** Splits chosen files for an unfinished share into files that are missing in it, and unknown files with their chosen paths. */
export async function splitChosen(
  missing: readonly PendingFile[],
  share: Known,
  chosen: readonly ChosenFile[],
): Promise<{ readonly found: readonly ChosenFile[]; readonly others: readonly ChosenFile[] }> {
  const unfinished = new Set(missing.map(({ path }) => path));
  const sent = { ...share, files: share.files.filter(({ path }) => !unfinished.has(path)) };
  // A file that was already sent may look like a missing one, with the same size and time.
  const candidates: ChosenFile[] = [];
  for (const one of chosen)
    if (!missing.some(({ sizeBytes, lastModified }) => sizeBytes === one.file.size && lastModified === one.file.lastModified))
      candidates.push(one);
    else if ((await pickNew(sent, [one])).length > 0) candidates.push(one);
  const found = findPending(missing, candidates);
  const same = new Set(found.map(({ file }) => file));
  const rest = candidates.filter(({ file }) => !same.has(file));
  const unknown = new Set((await pickNew(share, rest)).map(({ file }) => file));
  return { found, others: rest.filter(({ file }) => unknown.has(file)) };
}
