/** The shares that were sent from this device, with the secrets that their sender needs. Every function rejects if the browser allows no storage. */
import type { FileKey } from "../../../../src/transfer/encryption/encrypt.ts";
import { readFragmentKey, withFragmentKey } from "../../../../src/transfer/encryption/fragment-key.ts";
import { inStore, inStores } from "./database.ts";
import { ofShare, type PendingFile } from "./pending-files.ts";

/** A file that was chosen for a share. */
export interface SentFile {
  /** The folders and the name with `/` between them; different for each file. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly lastModified: number;
}

export interface SentShare {
  readonly shortId: string;
  /** The link, with the key of encrypted files in its fragment. */
  readonly shareUrl: string;
  readonly sharePath: string;
  /** The token that adds files, for a day; empty after the share was claimed, and for a share of the account that another device sent. */
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
  /** The time when its deletion can no longer be undone, in milliseconds since 1970; 0 after the deletion was requested, undefined without one. */
  readonly deletesAtMs?: number;
  /** Whether the sender has declined to add the share to their account. */
  readonly isClaimDeclined?: boolean;
  /** The token of the request, if this is a submission. */
  readonly requestToken?: string;
  /** The ID of the account that sent or claimed the share, if known. */
  readonly accountId?: string | undefined;
  /** Whether files join the share with the session of its account, which sent it from another device or by a program. */
  readonly isGrowable?: boolean;
  /** The folder of an account, until all files of an upload into it are sent. */
  readonly folder?: AccountFolder;
  /** The key with which its files are encrypted; undefined if they are sent as they are. */
  readonly fileKey?: FileKey | undefined;
}

export interface AccountFolder {
  readonly accountId: string;
  /** The ID of the folder; null for the root. */
  readonly folderId: string | null;
}

/** A share that is sent into a folder. Files are added with the session of its account. */
export interface FolderShare extends SentShare {
  readonly folder: AccountFolder;
}

/** The lifetime of a share token (sharing, "Shipments"). */
const SHARE_TOKEN_MS = 24 * 3_600_000;

export const canAddFiles = ({ createdAtMs, shareToken, isGrowable = false }: SentShare): boolean =>
  isGrowable || (shareToken !== "" && Date.now() < createdAtMs + SHARE_TOKEN_MS);

/** Adds the key of encrypted files to another link of the share. */
export function withShareKey({ shareUrl }: Pick<SentShare, "shareUrl">, link: string): string {
  const identity = readFragmentKey(new URL(shareUrl).hash);
  return identity === undefined ? link : withFragmentKey(link, identity);
}

/**
 * Adds the fragment of the page's URL to the links of a share, or removes it if `hash` is empty. A share that this browser has encrypted has its own
 * key. For another one, the key is known from the URL alone, which anybody may have made, so it is not stored.
 */
export function withUrlKey<Links extends Partial<SentShare>>(links: Links, { fileKey }: Pick<SentShare, "fileKey">, hash: string): Links {
  if (fileKey !== undefined) return links;
  const { shareUrl, handoffUrl } = links;
  const replace = (link: string): string => link.replace(/#.*$/, "") + hash;
  return {
    ...links,
    ...(shareUrl !== undefined && { shareUrl: replace(shareUrl) }),
    ...(handoffUrl !== undefined && { handoffUrl: replace(handoffUrl) }),
  };
}

/** Returns the path of the share's page with the key of encrypted files, and another part of the fragment if one is given. */
export function toPage({ shareUrl, sharePath }: SentShare, part = ""): string {
  const fragment = [new URL(shareUrl, location.href).hash.slice(1), part].filter(Boolean).join("&");
  return fragment === "" ? sharePath : `${sharePath}#${fragment}`;
}

/** Saves a share with its unsent files. A share without pending files has all its files. */
export async function saveShare(share: SentShare, pending: readonly PendingFile[] = []): Promise<void> {
  await inStores(["shares", "pending"], "readwrite", (transaction) => {
    const request = transaction.objectStore("shares").put(share);
    for (const file of pending) transaction.objectStore("pending").put(file);
    // The transaction commits without waiting, because the page may be being left.
    transaction.commit();
    return request;
  });
}

export async function findSentShare(shortId: string): Promise<SentShare | undefined> {
  return await inStore<SentShare | undefined>("shares", "readonly", (store) => store.get(shortId));
}

/** Lists the shares without the submissions to requests and the uploads into folders, latest first. */
export const listSentShares = async (): Promise<readonly SentShare[]> =>
  (await listAll()).filter(({ requestToken, folder }) => requestToken === undefined && folder === undefined);

/** Lists the unfinished uploads into folders of an account, latest first. */
export const listFolderShares = async (accountId: string): Promise<readonly FolderShare[]> =>
  (await listAll()).flatMap((share) => (share.folder?.accountId === accountId ? [{ ...share, folder: share.folder }] : []));

/** Lists the submissions to a request, latest first. */
export const listSubmissions = async (token: string): Promise<readonly SentShare[]> =>
  (await listAll()).filter(({ requestToken }) => requestToken === token);

/** Finds the latest submission to a request that was not cancelled. */
export const findSentSubmission = async (token: string): Promise<SentShare | undefined> =>
  (await listSubmissions(token)).find(({ deletesAtMs }) => deletesAtMs === undefined);

async function listAll(): Promise<readonly SentShare[]> {
  const shares = (await inStore<SentShare[]>("shares", "readonly", (store) => store.getAll())) ?? [];
  return shares.toSorted((one, other) => other.createdAtMs - one.createdAtMs);
}

interface ShareUpdate {
  readonly pending?: readonly PendingFile[];
  /** The share that is saved if the device does not remember it; without it, an unknown share stays unknown. */
  readonly unknown?: SentShare | undefined;
}

/** Changes fields of a share, and adds unsent files, if the share still exists. */
export async function updateShare(shortId: string, change: Partial<SentShare>, { pending = [], unknown }: ShareUpdate = {}): Promise<void> {
  await inStores(["shares", "pending"], "readwrite", (transaction) => {
    const shares = transaction.objectStore("shares");
    const request = shares.get(shortId) as IDBRequest<SentShare | undefined>;
    request.onsuccess = () => {
      const known = request.result ?? unknown;
      if (!known) return;
      shares.put({ ...known, ...change });
      for (const file of pending) transaction.objectStore("pending").put(file);
    };
    return undefined;
  });
}

/** Forgets a share and its unfinished files on this device. */
export async function removeShare(shortId: string): Promise<void> {
  await inStores(["shares", "pending", "sent"], "readwrite", (transaction) => {
    for (const name of ["pending", "sent"]) transaction.objectStore(name).delete(ofShare(shortId));
    return transaction.objectStore("shares").delete(shortId);
  });
}

/** Counts the shares that `forgetAccountShares` would forget with the key of encrypted files. */
export const countAccountKeys = async (accountId: string | undefined): Promise<number> =>
  (await listOfAccount(accountId)).filter(hasKey).length;

/**
 * Forgets the shares of an account, and shares of unknown accounts, which have no token to claim them. Submissions to requests belong to no account.
 * With `keepsKeys`, shares with the key of encrypted files stay.
 */
export async function forgetAccountShares(accountId: string | undefined, { keepsKeys = false } = {}): Promise<void> {
  const forgotten = (await listOfAccount(accountId)).filter((share) => !keepsKeys || !hasKey(share));
  await Promise.all(forgotten.map(({ shortId }) => removeShare(shortId)));
}

async function listOfAccount(accountId: string | undefined): Promise<readonly SentShare[]> {
  const owned = (await listAll()).filter(({ claimToken, requestToken }) => claimToken === undefined && requestToken === undefined);
  return owned.filter((share) => [undefined, accountId].includes(share.accountId ?? share.folder?.accountId));
}

const hasKey = ({ shareUrl }: SentShare): boolean => readFragmentKey(new URL(shareUrl, location.href).hash) !== undefined;
