import { beginFile } from "../../../../src/transfer/encryption/chunk-stream.ts";
import { unwrapName } from "../../../../src/transfer/encryption/wrapped-name.ts";
import { createDecryptor } from "./decryptor.ts";

export interface Decrypted {
  /** The name that the sender has hidden. Unchecked. */
  readonly name: string | undefined;
  /** The bytes of the file. They are complete only if the stream ends without an error. */
  readonly body: ReadableStream<Uint8Array>;
  /** Ends the workers, and cancels the source. */
  close(): void;
}

/**
 * Begins to decrypt with an identity or a passphrase. Calls `openSource` only after a worker was loaded, because it may count a download. Rejects,
 * and its body fails, with DecryptionError, the error of the source, the error of a worker that cannot be loaded, or the signal's reason.
 */
export async function decryptInWorker(
  openSource: () => Promise<ReadableStream<Uint8Array>>,
  key: string,
  signal: AbortSignal,
): Promise<Decrypted> {
  signal.throwIfAborted();
  const decryptor = createDecryptor();
  let source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const onAbort = (): void => decryptor.close(signal.reason);
  signal.addEventListener("abort", onAbort);
  const close = (): void => {
    signal.removeEventListener("abort", onAbort);
    decryptor.close();
    void source?.cancel().catch(() => undefined);
  };
  try {
    await decryptor.load();
    source = (await openSource()).getReader();
    signal.throwIfAborted();
    const { name, body } = await unwrapName(await decryptor.decryptFile(await beginFile(source), key));
    return { name, body, close };
  } catch (error) {
    close();
    throw signal.aborted ? signal.reason : error;
  }
}
