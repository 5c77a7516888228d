import { Decrypter } from "age-encryption";
import { decodeArmor } from "./armor.ts";
import { DecryptionError, type DecryptionProblem } from "./decryption-error.ts";
import { isIdentity } from "./fragment-key.ts";

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
/** The largest header, enough for 10,000 keys of the usual kind. */
export const MAX_HEADER_BYTES = 1024 ** 2;
/** The beginning of the last line of a header. */
export const LAST_LINE = new TextEncoder().encode("\n---");
const LINE_BREAK = 0x0a;

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
  const decrypter = createDecrypter(keys);
  try {
    const bytes = limitHeader(await decodeArmor(watch(source, failure)));
    const reader = (await decrypter.decrypt(bytes)).getReader();
    return forward(reader, { toError });
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
  forward(source.getReader(), {
    toError: (error) => {
      failure.error = error;
      return error;
    },
  });

/** Fails for an endless header, which the library would keep in memory. */
function limitHeader(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let [read, matched, hasEnded] = [0, 0, false];
  const check = (bytes: Uint8Array): void => {
    for (let index = 0; index < bytes.length && !hasEnded; index += 1, read += 1) {
      const byte = bytes[index];
      if (matched === LAST_LINE.length) hasEnded = byte === LINE_BREAK;
      else if (byte === LAST_LINE[matched]) matched += 1;
      else matched = byte === LAST_LINE[0] ? 1 : 0;
      if (read > MAX_HEADER_BYTES) throw new DecryptionError("unsupported");
    }
  };
  return forward(source.getReader(), { check });
}

interface ForwardOptions {
  /** Throws for bytes that must not be passed on. */
  check?(bytes: Uint8Array): void;
  /** Converts an error of the source to the error of the stream. */
  toError?(error: unknown): unknown;
}

/** Passes on the bytes of a stream, with checks. */
function forward(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { check = () => undefined, toError = (error) => error }: ForwardOptions,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        check(value);
        controller.enqueue(value);
      } catch (error) {
        controller.error(toError(error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
