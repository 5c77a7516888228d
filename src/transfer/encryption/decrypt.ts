import { Decrypter } from "age-encryption";
import { isIdentity } from "./fragment-key.ts";

/** With what a file is decrypted: identities (`AGE-SECRET-KEY-1…`) and passphrases, of which one must fit. */
export interface DecryptWith {
  readonly identities?: readonly string[];
  readonly passphrases?: readonly string[];
}

/** `wrongKey`: none of the keys fits. `damaged`: the bytes are not what was encrypted, or incomplete. */
export type DecryptionProblem = "wrongKey" | "damaged";

/** Why bytes cannot be decrypted. */
export class DecryptionError extends Error {
  override readonly name = "DecryptionError";

  constructor(
    readonly problem: DecryptionProblem,
    options?: ErrorOptions,
  ) {
    super(problem === "wrongKey" ? "The key does not fit this file." : "The file is damaged or incomplete.", options);
  }
}

/** What a person enters: an identity, otherwise a passphrase. */
export function readEnteredKey(entered: string): DecryptWith {
  const text = entered.trim();
  return isIdentity(text.toUpperCase()) ? { identities: [text.toUpperCase()] } : { passphrases: [entered] };
}

const NO_MATCH = "no identity matched any of the file's recipients";

/**
 * Decrypts a stream. Each chunk is verified before it is passed on, and the stream fails at its end if bytes are missing: only a stream that ends
 * well is the whole file. Rejects and fails with DecryptionError, or with the error of `source`.
 */
export async function decryptStream(
  source: ReadableStream<Uint8Array>,
  { identities = [], passphrases = [] }: DecryptWith,
): Promise<ReadableStream<Uint8Array>> {
  const failure: { error?: unknown } = {};
  const toError = (error: unknown): unknown => {
    if ("error" in failure) return failure.error;
    return new DecryptionError(error instanceof Error && error.message === NO_MATCH ? "wrongKey" : "damaged", { cause: error });
  };
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  for (const passphrase of passphrases) decrypter.addPassphrase(passphrase);
  const watched = watch(source, failure);
  const reader = (await decrypter.decrypt(watched).catch((error: unknown) => Promise.reject(toError(error)))).getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(toError(error));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Keeps the error of the source, which is not one of its bytes. */
function watch(source: ReadableStream<Uint8Array>, failure: { error?: unknown }): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        failure.error = error;
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
