/**
 * The shares that were sent from this device, with the secrets that their sender needs. Every function rejects where the browser allows no
 * storage.
 */
import { inStore } from "./database.ts";

/** A file that was chosen for a share. */
export interface SentFile {
  /** With `/` between folders; different for each file. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly lastModified: number;
}

export interface SentShare {
  readonly shortId: string;
  readonly shareUrl: string;
  readonly sharePath: string;
  /** Adds files, for a day; empty once the share was claimed. */
  readonly shareToken: string;
  readonly claimToken?: string | undefined;
  readonly deletionToken?: string | undefined;
  readonly unlockCode?: string;
  readonly handoffUrl?: string;
  readonly title?: string;
  readonly files: readonly SentFile[];
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
  /** Whether all files were sent. */
  readonly isComplete: boolean;
  /** When its deletion can no longer be undone, in milliseconds since 1970, if it was asked for; 0 once the server was asked. */
  readonly deletesAtMs?: number;
  /** Whether its sender does not want it in their account. */
  readonly isClaimDeclined?: boolean;
  /** Set if it is a submission to a request. */
  readonly requestToken?: string;
}

/** A share token adds files this long (sharing, "Shipments"). */
const SHARE_TOKEN_MS = 24 * 3_600_000;

export const canAddFiles = ({ createdAtMs, shareToken }: SentShare): boolean =>
  shareToken !== "" && Date.now() < createdAtMs + SHARE_TOKEN_MS;

export async function saveShare(share: SentShare): Promise<void> {
  await inStore("shares", "readwrite", (store) => {
    const request = store.put(share);
    // Also while the page is being left.
    store.transaction.commit();
    return request;
  });
}

export async function findShare(shortId: string): Promise<SentShare | undefined> {
  return await inStore<SentShare | undefined>("shares", "readonly", (store) => store.get(shortId));
}

/** The shares without the submissions to requests, the latest first. */
export const listShares = async (): Promise<readonly SentShare[]> =>
  (await listAll()).filter(({ requestToken }) => requestToken === undefined);

/** The latest submission to a request. */
export const findSubmission = async (token: string): Promise<SentShare | undefined> =>
  (await listAll()).find(({ requestToken }) => requestToken === token);

async function listAll(): Promise<readonly SentShare[]> {
  const shares = (await inStore<SentShare[]>("shares", "readonly", (store) => store.getAll())) ?? [];
  return shares.toSorted((one, other) => other.createdAtMs - one.createdAtMs);
}

/** Changes fields of a share, if it is still there. */
export async function updateShare(shortId: string, change: Partial<SentShare>): Promise<void> {
  await inStore("shares", "readwrite", (store) => {
    const request = store.get(shortId) as IDBRequest<SentShare | undefined>;
    request.onsuccess = () => {
      if (request.result) store.put({ ...request.result, ...change });
    };
    return undefined;
  });
}

/** Forgets a share and its unfinished files on this device. */
export async function removeShare(shortId: string): Promise<void> {
  await inStore("shares", "readwrite", (store) => store.delete(shortId));
  await inStore("pending", "readwrite", (store) => store.delete(IDBKeyRange.bound([shortId], [shortId, []])));
}
