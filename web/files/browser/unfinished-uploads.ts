/** Unfinished uploads into folders. This device remembers them until they finish, for the account that began them. */

import { deleteIfEmpty, hasEnded } from "../../sending/browser/sender-calls.ts";
import { finishStored } from "../../site/browser/device/finish-stored.ts";
import type { PendingFile } from "../../site/browser/device/pending-files.ts";
import { type FolderShare, listFolderShares, removeShare } from "../../site/browser/device/shares.ts";
import { isSentElsewhere } from "../../site/browser/device/upload-lock.ts";
import { abortSession } from "../../site/browser/upload/upload-api.ts";

const ABORT_TIMEOUT_MS = 10_000;

export interface UnfinishedUpload {
  readonly share: FolderShare;
  /** The missing files. */
  readonly files: readonly PendingFile[];
  /** The number of bytes that the server lacks. */
  readonly bytes: number;
}

/**
 * Completes files that are already stored, and forgets complete and ended uploads. Lists the others, without the uploads of other tabs and without
 * `sending`, the short IDs of this tab's uploads.
 */
export async function listUnfinished(accountId: string, sending: ReadonlySet<string>): Promise<readonly UnfinishedUpload[]> {
  const unfinished: UnfinishedUpload[] = [];
  for (const share of await listFolderShares(accountId)) {
    if (sending.has(share.shortId) || (await isSentElsewhere(share.shortId))) continue;
    const { files, bytes, isFinished } = await finishStored(share.shortId);
    if (isFinished || (await hasEnded(share))) await removeShare(share.shortId);
    else unfinished.push({ share, files, bytes });
  }
  return unfinished;
}

/** Discards an upload. Files that were sent stay. */
export async function discard({ share, files }: UnfinishedUpload): Promise<void> {
  const sessions = files.flatMap(({ uploadId }) => uploadId ?? []);
  const signal = AbortSignal.timeout(ABORT_TIMEOUT_MS);
  await Promise.all(sessions.map((uploadId) => abortSession({ uploadId }, signal).catch(() => undefined)));
  if (files.length === share.files.length) await deleteIfEmpty(share);
  await removeShare(share.shortId);
}
