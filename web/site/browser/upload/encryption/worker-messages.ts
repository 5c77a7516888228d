/** The messages between a page and the workers that encrypt its files. A worker responds to each request before it gets the next one. */
import type { Encryption, FileKey } from "../../../../../src/transfer/encryption/encrypt.ts";

/** A file with its path, which is hidden inside the encryption. */
export interface NamedFile {
  readonly path: string;
  readonly file: File;
}

/** The requests by their kind, each with its result. */
export interface WorkerOperations {
  /** Makes the keys of a share. */
  createKeys: { readonly input: Record<never, never>; readonly result: ShareKeys };
  /** Makes a key pair for an account. */
  createOwnKey: { readonly input: Record<never, never>; readonly result: OwnKey };
  /** Returns the public half of a private key. */
  toRecipient: { readonly input: Pick<OwnKey, "identity">; readonly result: string };
  /** Makes the key of files for the owner of a public key. */
  createFileKey: { readonly input: Pick<OwnKey, "recipient">; readonly result: FileKey };
  /** Encrypts a short text with a passphrase. */
  sealText: { readonly input: { readonly text: string; readonly passphrase: string }; readonly result: Uint8Array };
  /** Begins to encrypt a large file. */
  begin: { readonly input: NamedFile & { readonly fileKey: FileKey }; readonly result: BegunFile };
  /** Encrypts the bytes from `start` to `end` of the encrypted file. */
  encryptPart: { readonly input: PartInput; readonly result: EncryptedPart };
  /** Encrypts a small file. Equal files with equal paths have equal results. */
  encryptWhole: { readonly input: NamedFile & { readonly fileKey: FileKey }; readonly result: EncryptedWhole };
}

/** A key pair: the private key (`AGE-SECRET-KEY-1…`) and the public key (`age1…`). */
export interface OwnKey {
  readonly identity: string;
  readonly recipient: string;
}

export interface ShareKeys {
  /** The identity of the share, which its link contains. */
  readonly identity: string;
  readonly fileKey: FileKey;
}

export interface BegunFile {
  readonly encryption: Encryption;
  readonly name: string;
  /** The size of the encrypted file. */
  readonly sizeBytes: number;
}

export interface PartInput extends NamedFile {
  readonly encryption: Encryption;
  readonly start: number;
  readonly end: number;
}

export interface EncryptedPart {
  readonly bytes: Blob;
  readonly sha256: string;
}

export interface EncryptedWhole {
  readonly name: string;
  readonly bytes: Blob;
}

export type WorkerOperation = keyof WorkerOperations;

export type WorkerRequest = {
  [Kind in WorkerOperation]: { readonly kind: Kind; readonly input: WorkerOperations[Kind]["input"] };
}[WorkerOperation];

/** The result; null for a file that has changed or cannot be read. */
export type WorkerResponse = WorkerOperations[WorkerOperation]["result"] | null;
