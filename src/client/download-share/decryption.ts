import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { AppError } from "../../errors.ts";
import { AGE_HEADER_BYTES, hasAgeHeader, mayBecomeAge } from "../../lib/formats/age-header.ts";
import { type DecryptWith, decryptStream, readEnteredKey } from "../../transfer/encryption/decrypt.ts";
import { DecryptionError } from "../../transfer/encryption/decryption-error.ts";
import { readFragmentKey } from "../../transfer/encryption/fragment-key.ts";
import { unwrapName } from "../../transfer/encryption/wrapped-name.ts";
import { ClientError } from "../client-error.ts";
import type { FileAttributes } from "../download-file/file-attributes.ts";
import { readIdentities } from "../shares/identity-file.ts";

/** Decrypts the files of a download. */
export interface Decryption {
  /** Returns the keys. Undefined if encrypted files are saved without decryption. */
  keys(): DecryptWith | undefined;
  /** Asks for another key after one did not fit. Undefined if nobody can be asked, or the person was asked too often. */
  askAgain(): Promise<DecryptWith | undefined>;
  /** Whether the person has chosen the encrypted bytes, by an option or an empty answer. */
  keepsEncrypted(): boolean;
  /** Whether decrypted files get the times and executable bits that are encrypted with them. */
  readonly keepsTimes: boolean;
  /** Frees the buffers that were decrypted. */
  freeMemory?(): void;
}

export interface KeySources {
  /** The fragment (the text after `#`) of the link or of the remembered share. */
  readonly fragment: string | undefined;
  /** Files with identities. */
  readonly identityFiles: readonly string[];
  readonly passphrase: string | undefined;
  /** Whether files stay encrypted, also if there is a key. */
  readonly keepsEncrypted?: boolean;
  /** Resolves to a passphrase or an identity; empty if the person enters none. */
  ask?(question: string): Promise<string>;
  /** Default: true. */
  readonly keepsTimes?: boolean;
  freeMemory?(): void;
}

const MAX_QUESTIONS = 3;
const QUESTION = "Passphrase or key (nothing: save the encrypted file): ";

/** Finds the keys; asks for one if there is none and `isEncrypted`. Throws VALIDATION_FAILED for a file without identities. */
export async function openDecryption(
  { fragment, identityFiles, passphrase, keepsEncrypted = false, ask, keepsTimes = true, freeMemory }: KeySources,
  isEncrypted: boolean,
): Promise<Decryption> {
  if (keepsEncrypted) return { keys: () => undefined, askAgain: async () => undefined, keepsEncrypted: () => true, keepsTimes };
  const linkKey = readFragmentKey(fragment ?? "");
  const identities = (await Promise.all(identityFiles.map(readIdentities))).flat();
  const known = { identities: [...(linkKey === undefined ? [] : [linkKey]), ...identities], passphrases: passphrase ? [passphrase] : [] };
  let keys: DecryptWith | undefined = known.identities.length + known.passphrases.length > 0 ? known : undefined;
  let isDeclined = false;
  let questions = keys === undefined ? 0 : MAX_QUESTIONS;
  const askOnce = async (question: string): Promise<DecryptWith | undefined> => {
    if (ask === undefined || questions >= MAX_QUESTIONS) return undefined;
    questions += 1;
    const entered = await ask(question);
    keys = entered === "" ? undefined : readEnteredKey(entered);
    isDeclined = keys === undefined;
    return keys;
  };
  if (keys === undefined && isEncrypted) await askOnce(QUESTION);
  return {
    keys: () => keys,
    askAgain: () => askOnce("It does not match this file. Passphrase or key: "),
    keepsEncrypted: () => isDeclined,
    keepsTimes,
    ...(freeMemory && { freeMemory }),
  };
}

/** A decrypted file beside the encrypted one. */
export interface DecryptedFile {
  readonly path: string;
  /** The name, or the path with `/`, that the sender has hidden. Unchecked. */
  readonly name: string | undefined;
  /** The attributes that were hidden together with the name. */
  readonly attributes: FileAttributes;
  readonly sha256: string;
}

/**
 * Decrypts a complete file into another one beside it. Undefined if the file is not encrypted, or there is no key. Throws VALIDATION_FAILED if no key
 * fits, and FILE_DIGEST_MISMATCH if the file is damaged; then no decrypted bytes remain.
 */
export async function decryptFile(path: string, decryption: Decryption, signal: AbortSignal): Promise<DecryptedFile | undefined> {
  let keys = decryption.keys();
  if (keys === undefined || !(await isEncryptedFile(path))) return undefined;
  for (;;) {
    try {
      const decrypted = await decryptInto({ path, plainPath: `${path}.plain`, keys, freeMemory: decryption.freeMemory }, signal);
      return decryption.keepsTimes ? decrypted : { ...decrypted, attributes: { modifiedMs: undefined, isExecutable: false } };
    } catch (error) {
      const again = error instanceof DecryptionError && error.problem === "wrongKey" ? await decryption.askAgain() : undefined;
      if (again === undefined) throw toAppError(error);
      keys = again;
    }
  }
}

interface Decrypting {
  readonly path: string;
  readonly plainPath: string;
  readonly keys: DecryptWith;
  readonly freeMemory: (() => void) | undefined;
}

async function decryptInto({ path, ...into }: Decrypting, signal: AbortSignal): Promise<DecryptedFile> {
  await rm(into.plainPath, { force: true });
  const source = createReadStream(path, { signal });
  try {
    return await decryptAll(Readable.toWeb(source) as unknown as ReadableStream<Uint8Array>, into);
  } finally {
    // With a wrong key, the source is not read to its end, so it is closed.
    source.destroy();
  }
}

/** The library makes a new buffer for each chunk. */
const FREED_EVERY_BYTES = 16 * 1024 ** 2;

async function decryptAll(
  encrypted: ReadableStream<Uint8Array>,
  { plainPath, keys, freeMemory = () => undefined }: Omit<Decrypting, "path">,
): Promise<DecryptedFile> {
  const { name, modifiedMs, isExecutable, body } = await unwrapName(await decryptStream(encrypted, keys));
  const file = await open(plainPath, "wx");
  const hash = createHash("sha256");
  let unfreedBytes = 0;
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      await file.writeFile(chunk);
      unfreedBytes += chunk.length;
      if (unfreedBytes < FREED_EVERY_BYTES) continue;
      freeMemory();
      unfreedBytes = 0;
    }
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close();
    await rm(plainPath, { force: true });
    throw error;
  }
  const attributes = { modifiedMs: modifiedMs === 0 ? undefined : modifiedMs, isExecutable };
  return { path: plainPath, name, attributes, sha256: hash.digest("hex") };
}

async function isEncryptedFile(path: string): Promise<boolean> {
  await using file = await open(path, "r");
  const head = new Uint8Array(AGE_HEADER_BYTES);
  const { bytesRead } = await file.read(head, 0, head.length, 0);
  return hasAgeHeader(head.subarray(0, bytesRead));
}

/** Decrypts bytes as they are written. */
export function decryptOutput(output: (bytes: Uint8Array) => Promise<void>, keys: DecryptWith) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const written = (async () => {
    const { body } = await unwrapName(await decryptStream(readable, keys));
    for await (const chunk of body) await output(chunk);
  })().catch((error: unknown) => Promise.reject(toAppError(error, "Do not use the bytes that were written.")));
  written.catch((error: unknown) => writer.abort(error).catch(() => undefined));
  return {
    async write(bytes: Uint8Array): Promise<void> {
      // The buffer of `bytes` is filled again, so it is copied. `slice` of a Buffer does not copy.
      const writing = writer.write(new Uint8Array(bytes));
      // The write fails without a reason when nobody reads any more; `written` has the reason.
      await Promise.race([writing.catch(() => written), written]);
    },
    async end(): Promise<void> {
      await writer.close().catch(() => undefined);
      await written;
    },
  };
}

/** Passes bytes on as they are written, as soon as they cannot be the start of an encrypted file. Throws `encryptedOutput` before the first ones. */
export function refuseEncrypted(output: (bytes: Uint8Array) => Promise<void>) {
  let head: Uint8Array | undefined = new Uint8Array(0);
  const passHead = async (): Promise<void> => {
    if (head === undefined) return;
    if (hasAgeHeader(head)) throw encryptedOutput();
    const passed = head;
    head = undefined;
    await output(passed);
  };
  return {
    async write(bytes: Uint8Array): Promise<void> {
      if (head === undefined) return await output(bytes);
      head = Buffer.concat([head, bytes]);
      if (!mayBecomeAge(head)) await passHead();
    },
    end: passHead,
  };
}

/** The error for an encrypted file that a program would read as if it were decrypted. */
export const encryptedOutput = (): AppError =>
  new ClientError("VALIDATION_FAILED", "This file is encrypted, and there is no key for it.", {
    advice: [{ kind: "passDecryptionKey" }, { kind: "keepEncrypted" }],
  });

/** Removes the extension of encrypted files. */
export const withoutExtension = (name: string): string => name.replace(/(?<=.)\.age$/i, "");

/** @param ofBytes A sentence about the bytes that were decrypted before the damage was found. */
function toAppError(error: unknown, ofBytes = "Nothing was saved."): unknown {
  if (!(error instanceof DecryptionError)) return error;
  if (error.problem === "wrongKey")
    return new ClientError("VALIDATION_FAILED", "The key or passphrase does not match this file. Nothing was saved.", {
      cause: error,
      advice: [{ kind: "passDecryptionKey" }],
    });
  if (error.problem === "unsupported")
    return new AppError(
      "VALIDATION_FAILED",
      "The file asks for more work or memory than filehost spends on a key. Nothing was saved. Try the program age.",
      { cause: error },
    );
  return new AppError("FILE_DIGEST_MISMATCH", `The encrypted file is damaged or incomplete. ${ofBytes} Ask the sender to send it again.`, {
    cause: error,
  });
}
