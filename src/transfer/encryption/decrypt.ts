import { Decrypter } from "age-encryption";
import { decodeArmor } from "./armor.ts";
import { beginFile, decryptChunks } from "./chunk-stream.ts";
import { DecryptionError, type DecryptionProblem } from "./decryption-error.ts";
import { isIdentity } from "./fragment-key.ts";
import { mapError } from "./map-error.ts";

/** Keys for a file: identities (`AGE-SECRET-KEY-1…`) and passphrases, of which one must fit. */
export interface DecryptWith {
  readonly identities?: readonly string[];
  readonly passphrases?: readonly string[];
}

/** Reads an entered key: an identity, otherwise a passphrase. */
export function readEnteredKey(entered: string): DecryptWith {
  const text = entered.trim();
  return isIdentity(text.toUpperCase()) ? { identities: [text.toUpperCase()] } : { passphrases: [entered] };
}

/** Messages of the library for problems other than damage. */
const PROBLEMS: ReadonlyMap<string, DecryptionProblem> = new Map([
  ["no identity matched any of the file's recipients", "wrongKey"],
  ["scrypt work factor is too high", "unsupported"],
]);

/**
 * Decrypts a stream, also one that is written as text. Verifies each chunk before it is passed on, and fails at the end if bytes are missing, so only
 * a stream that ends normally is the whole file. Rejects and fails with DecryptionError, or with the error of `source`.
 */
export async function decryptStream(source: ReadableStream<Uint8Array>, keys: DecryptWith): Promise<ReadableStream<Uint8Array>> {
  const failure: { error?: unknown } = {};
  const toError = (error: unknown): unknown => {
    if ("error" in failure) return failure.error;
    return toDecryptionError(error);
  };
  try {
    const { prefix, rest } = await beginFile((await decodeArmor(watch(source, failure))).getReader());
    // A text was decoded, so another one is not encrypted.
    if (prefix === "text") throw new DecryptionError("damaged");
    const { header, nonce } = prefix;
    return mapError(decryptChunks(rest, { fileKey: await openHeaderWith(header, keys), nonce }), toError);
  } catch (error) {
    throw toError(error);
  }
}

/**
 * Opens the header of a file, which ends with the line break of its last line. Resolves to the key in it. Rejects with DecryptionError.
 */
export async function openHeaderWith(header: Uint8Array, keys: DecryptWith): Promise<Uint8Array> {
  try {
    return await createDecrypter(keys).decryptHeader(header);
  } catch (error) {
    throw toDecryptionError(error);
  }
}

function createDecrypter({ identities = [], passphrases = [] }: DecryptWith): Decrypter {
  const decrypter = new Decrypter();
  for (const identity of identities) addIdentity(decrypter, identity);
  for (const passphrase of passphrases) decrypter.addPassphrase(passphrase);
  return decrypter;
}

const toDecryptionError = (error: unknown): DecryptionError =>
  error instanceof DecryptionError ? error : new DecryptionError(toProblem(error), { cause: error });

function toProblem(error: unknown): DecryptionProblem {
  // The memory does not suffice for the passphrase.
  if (error instanceof RangeError && /alloc|memory/i.test(error.message)) return "unsupported";
  return (error instanceof Error && PROBLEMS.get(error.message)) || "damaged";
}

/** Adds an identity. An identity with a mistake fits no file. */
function addIdentity(decrypter: Decrypter, identity: string): void {
  try {
    decrypter.addIdentity(identity);
  } catch {
    // The key has the right form, but a wrong checksum, so it is ignored.
  }
}

/** Keeps the error of the source, which does not concern its bytes. */
const watch = (source: ReadableStream<Uint8Array>, failure: { error?: unknown }): ReadableStream<Uint8Array> =>
  mapError(source, (error) => {
    failure.error = error;
    return error;
  });
