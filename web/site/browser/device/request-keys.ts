/**
 * What this browser keeps of the keys of accounts for encrypted requests (requests, "Encrypted requests"). Every key has an entry, because what was
 * received for it needs it.
 */

/** A key that this browser knows. */
export interface KeptKey {
  /** The public key. */
  readonly recipient: string;
  /** The recovery file, encrypted with the passphrase, in Base64; undefined without a passphrase. */
  readonly sealed?: string | undefined;
}

interface KeptKeys {
  /** The public key that was used last. */
  readonly latest: string;
  /** The encrypted recovery files by public key; null without a passphrase. */
  readonly keys: Readonly<Record<string, string | null>>;
}

const storageKey = (accountId: string | undefined): string => `filehost-keys-${accountId ?? ""}`;

function readKeys(accountId: string | undefined): KeptKeys | undefined {
  try {
    return JSON.parse(localStorage.getItem(storageKey(accountId)) ?? "null") ?? undefined;
  } catch {
    // The browser allows no storage.
    return undefined;
  }
}

/** Finds a key of an account, or the one that was used last; undefined if this browser does not know it. */
export function findRequestKey(accountId: string | undefined, recipient?: string): KeptKey | undefined {
  const kept = readKeys(accountId);
  const wanted = recipient ?? kept?.latest;
  if (!kept || wanted === undefined || !Object.hasOwn(kept.keys, wanted)) return undefined;
  return { recipient: wanted, sealed: kept.keys[wanted] ?? undefined };
}

/** Keeps a key, which becomes the latest. A key without a passphrase keeps the one that it had. Returns false if the browser allows no storage. */
export function keepRequestKey(accountId: string | undefined, { recipient, sealed }: KeptKey): boolean {
  const keys = readKeys(accountId)?.keys ?? {};
  const kept = { latest: recipient, keys: { ...keys, [recipient]: sealed ?? keys[recipient] ?? null } } satisfies KeptKeys;
  try {
    localStorage.setItem(storageKey(accountId), JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/** Counts the keys of an account that this browser opens with a passphrase. */
export const countRequestKeys = (accountId: string | undefined): number =>
  Object.values(readKeys(accountId)?.keys ?? {}).filter((sealed) => sealed !== null).length;

/** Forgets the keys of an account. */
export function forgetRequestKeys(accountId: string | undefined): void {
  try {
    localStorage.removeItem(storageKey(accountId));
  } catch {
    // Without storage, no key is kept.
  }
}
