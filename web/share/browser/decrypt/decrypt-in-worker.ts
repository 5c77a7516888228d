import { beginFile } from "../../../../src/transfer/encryption/chunk-stream.ts";
import { unwrapName } from "../../../../src/transfer/encryption/wrapped-name.ts";
import { createDecryptor, type Decryptor } from "./decryptor.ts";

/** Decrypted content. */
export interface DecryptedContent {
  /** The name that the sender has hidden. Unchecked. */
  readonly name: string | undefined;
  /** The bytes. They are complete only if the stream ends without an error. */
  readonly body: ReadableStream<Uint8Array>;
}

export interface Decrypted extends DecryptedContent {
  /** Ends the workers, and cancels the source. */
  close(): void;
}

/** Begins to decrypt what a source sends, with a key: an identity or a passphrase. Rejects, and its body fails, with DecryptionError. */
export type Open = (source: ReadableStreamDefaultReader<Uint8Array>, key: string, decryptor: Decryptor) => Promise<DecryptedContent>;

/** Opens a source that sends one encrypted file. */
export const openFile: Open = async (source, key, decryptor) => await unwrapName(await decryptor.decryptFile(await beginFile(source), key));

export interface DecryptInput {
  openSource(): Promise<ReadableStream<Uint8Array>>;
  readonly open: Open;
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * Begins to decrypt in workers. Calls `openSource` only after a worker was loaded, because it may count a download. Rejects, and its body fails, with
 * DecryptionError, the error of the source, the error of a worker that cannot be loaded, or the signal's reason.
 */
export async function decryptInWorker({ openSource, open, key, signal }: DecryptInput): Promise<Decrypted> {
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
    const { name, body } = await open(source, key, decryptor);
    return { name, body, close };
  } catch (error) {
    close();
    throw signal.aborted ? signal.reason : error;
  }
}
