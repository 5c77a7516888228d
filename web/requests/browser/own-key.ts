/**
 * The key of an account for encrypted requests. Its private half leaves this device only in the recovery file, and this browser keeps it only encrypted
 * with a passphrase (requests, "Encrypted requests").
 */
import { DecryptionError } from "../../../src/transfer/encryption/decryption-error.ts";
import { readIdentityFile, toIdentityFile } from "../../../src/transfer/encryption/identity-file.ts";
import { decryptInWorker, openFile } from "../../share/browser/decrypt/decrypt-in-worker.ts";
import { findRequestKey, type KeptKey, keepRequestKey } from "../../site/browser/device/request-keys.ts";
import { getAccountId } from "../../site/browser/page/signed-in.ts";
import { callEncryptionWorker } from "../../site/browser/upload/encryption/encryptor.ts";
import type { OwnKey } from "../../site/browser/upload/encryption/worker-messages.ts";

const RECOVERY_FILE = "filehost-key.txt";
const URL_MS = 60_000;
/** The largest file that is read as a recovery file. */
const MAX_FILE_BYTES = 64 * 1024;

/** Finds the key of a request, or the key that was used last; undefined if this browser does not know it. */
export const findKeptKey = (recipient?: string): KeptKey | undefined => findRequestKey(getAccountId(), recipient);

/** Keeps a key, with its private half only if there is a passphrase. Resolves to false if the browser allows no storage. */
export async function keepKey({ recipient, identity }: OwnKey, passphrase: string): Promise<boolean> {
  if (passphrase === "") return keepRequestKey(getAccountId(), { recipient });
  const text = toIdentityFile({ recipient, identity, createdAt: new Date() });
  return keepRequestKey(getAccountId(), { recipient, sealed: toBase64(await callEncryptionWorker("sealText", { text, passphrase })) });
}

export const createOwnKey = (): Promise<OwnKey> => callEncryptionWorker("createOwnKey", {});

/** Offers the recovery file for saving. The browser does not say whether the person saves it. */
export function saveRecoveryFile(key: OwnKey): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([toIdentityFile({ ...key, createdAt: new Date() })], { type: "text/plain" }));
  link.download = RECOVERY_FILE;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), URL_MS);
}

/** Reads the keys in a recovery file, or in a file that age-keygen has written. */
export async function readRecoveryFile(file: Blob): Promise<readonly OwnKey[]> {
  const identities = file.size > MAX_FILE_BYTES ? [] : readIdentityFile(await file.text());
  const keys = await Promise.all(
    identities.map(async (identity) => ({ identity, recipient: await callEncryptionWorker("toRecipient", { identity }).catch(() => "") })),
  );
  return keys.filter(({ recipient }) => recipient !== "");
}

/** Opens the kept key with its passphrase; undefined if the passphrase is wrong. */
export async function openKeptKey({ sealed }: KeptKey, passphrase: string): Promise<string | undefined> {
  if (sealed === undefined || passphrase === "") return undefined;
  const stream = new Blob([Uint8Array.from(atob(sealed), (character) => character.charCodeAt(0))]).stream();
  try {
    const { signal } = new AbortController();
    const { body, close } = await decryptInWorker({ openSource: async () => stream, open: openFile, key: passphrase, signal });
    try {
      return readIdentityFile(await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).text())[0];
    } finally {
      close();
    }
  } catch (error) {
    if (error instanceof DecryptionError && error.problem === "wrongKey") return undefined;
    throw error;
  }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Shortens a public key for people, who compare its ends. */
export const shortKey = (recipient: string): string => `${recipient.slice(0, 10)}…${recipient.slice(-6)}`;
