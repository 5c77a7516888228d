import { randomBytes } from "node:crypto";
import { opendir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { HOUR_MS } from "../../lib/text/duration.ts";
import { unlessMissing } from "./errors.ts";

const PREFIX = ".temporary-";

/**
 * Returns a new path in a folder of the store for a file that belongs to no blob. The file is hidden, so that no list of staged blobs or of unknown
 * files shows it while it is in use.
 */
export const newTemporaryPath = (folder: string): string => join(folder, PREFIX + randomBytes(16).toString("hex"));

/** Removes the temporary files of processes that were killed: those more than an hour old. */
export async function removeOldTemporaryFiles(folder: string): Promise<void> {
  for await (const { name } of await opendir(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(folder, name);
    const info = await unlessMissing(stat(path));
    if (info && info.mtimeMs < Date.now() - HOUR_MS) await rm(path, { force: true });
  }
}
