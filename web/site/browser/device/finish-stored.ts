import type { Content } from "../upload/resume-records.ts";
import { completeSession, getSession } from "../upload/upload-api.ts";
import { createMemory, listPending, type PendingFile } from "./pending-files.ts";
import { updateShare } from "./shares.ts";

export interface MissingFiles {
  readonly files: readonly PendingFile[];
  /** The number of bytes that the server lacks, according to its responses so far. */
  readonly bytes: number;
  /** Whether all files are sent. */
  readonly isFinished: boolean;
}

/**
 * Completes the unfinished files of a share whose bytes are all stored, because the page was closed before the server confirmed that, or before this
 * device remembered it. Resolves to the other files.
 */
export async function finishStored(shortId: string): Promise<MissingFiles> {
  const pending = await listPending(shortId);
  const found = await Promise.all(pending.map(async (file) => ({ file, ...(await complete(file)) })));
  const missing = found.filter(({ isSent }) => !isSent);
  const sent = found.filter(({ isSent }) => isSent);
  await createMemory(shortId).saveContents(sent.map(({ file: { path }, content }) => ({ path, content })));
  const isFinished = missing.length === 0;
  if (isFinished) await updateShare(shortId, { isComplete: true });
  return { files: missing.map(({ file }) => file), bytes: missing.reduce((sum, { bytes }) => sum + bytes, 0), isFinished };
}

interface Completed {
  /** The number of bytes that the server lacks. */
  readonly bytes: number;
  readonly isSent: boolean;
  /** The stored content: its size and the digests of its parts. */
  readonly content?: Content;
}

async function complete({ uploadId, sizeBytes, sealed }: PendingFile): Promise<Completed> {
  if (!uploadId) return { bytes: sizeBytes, isSent: false };
  const { signal } = new AbortController();
  let bytes = sealed?.sizeBytes ?? sizeBytes;
  try {
    const session = await getSession(uploadId, signal);
    bytes -= session.parts.reduce((sum, { size }) => sum + size, 0);
    if (bytes === 0) await completeSession(session, signal);
    const content = { partBytes: session.chunkSize, digests: session.parts.map(({ sha256 }) => sha256) };
    // The digests of encrypted parts do not identify the content of the file.
    return { bytes, isSent: bytes === 0, ...(sealed === undefined && { content }) };
  } catch {
    return { bytes, isSent: false };
  }
}
