/** Ends the upload of a submission when its sender cancels it (requests, "The page of a link"). */
import { abortSession, isGoneOrClosed, listSubmitted, removeSubmission } from "../upload/upload-api.ts";
import { createMemory, listPending } from "./pending-files.ts";
import { listSubmissions, removeShare, type SentShare, updateShare } from "./shares.ts";

const TIMEOUT_MS = 20_000;

/** Forgets the unsent files of a submission. Resolves to whether it has sent files. Rejects if only the server knows this, and does not respond. */
export async function keepSent({ shortId, deletionToken = "", files }: SentShare): Promise<boolean> {
  const pending = new Set((await listPending(shortId)).map(({ path }) => path));
  let sent = files.filter(({ path }) => !pending.has(path));
  if (sent.length === 0) {
    // The page was closed before this device remembered which files the server stored.
    const stored = new Set(await listSubmitted(shortId, deletionToken, AbortSignal.timeout(TIMEOUT_MS)));
    sent = files.filter(({ path }) => stored.has(path));
  }
  if (sent.length === 0) return false;
  await endPending(shortId);
  await updateShare(shortId, { files: sent, isComplete: true });
  return true;
}

/** Forgets the unsent files of a submission, and ends their sessions on the server. */
async function endPending(shortId: string): Promise<void> {
  const pending = await listPending(shortId);
  await createMemory(shortId).forget(pending.map(({ path }) => path));
  for (const { uploadId } of pending) if (uploadId) void abortSession({ uploadId }, AbortSignal.timeout(TIMEOUT_MS)).catch(() => undefined);
}

/** Deletes the sent files, and forgets the submission. Rejects if the server does not respond; `finishRemovals` then repeats the deletion. */
export async function removeCancelled({ shortId, deletionToken = "" }: SentShare): Promise<void> {
  await endPending(shortId).catch(() => undefined);
  try {
    await removeSubmission(shortId, deletionToken, AbortSignal.timeout(TIMEOUT_MS));
  } catch (error) {
    // Files that cannot be removed any more belong to the recipient.
    if (!isGoneOrClosed(error)) throw error;
  }
  await removeShare(shortId).catch(() => undefined);
}

/** Completes the removals of cancelled submissions whose page was closed too early. */
export async function finishRemovals(requestToken: string): Promise<void> {
  const cancelled = (await listSubmissions(requestToken)).filter(({ deletesAtMs }) => deletesAtMs !== undefined);
  await Promise.allSettled(cancelled.map(removeCancelled));
}
