import { AppError } from "../../errors.ts";
import { DecryptionError } from "../../transfer/encryption/decryption-error.ts";
import { receiveFile } from "../download-file/receive-file.ts";
import { withoutRetry } from "../server/retry.ts";
import { type FileSource, inspectSource } from "./fetch-file.ts";

interface Streaming {
  readonly signal: AbortSignal;
  /** Writes bytes; resolves when they are written. */
  output(bytes: Uint8Array): Promise<void>;
  onWait(reason: string): void;
  onSize(sizeBytes: number): void;
  onProgress(receivedBytes: number): void;
}

/**
 * Writes a file to standard output while it arrives, and continues broken connections. Throws FILE_DIGEST_MISMATCH at the end if the bytes do not
 * match the server's digest, and what `receiveFile` and `output` throw.
 */
export async function streamFile(source: FileSource, streaming: Streaming): Promise<{ readonly sizeBytes: number }> {
  const { signal, output, onWait, onProgress } = streaming;
  try {
    const download = await inspectSource(source, await source.authorize(), streaming);
    streaming.onSize(download.sizeBytes);
    const store = {
      write: output,
      // All bytes arrive in order, so none are read again.
      read: async () => 0,
    };
    await receiveFile(store, download, { signal, onWait, onProgress });
    return { sizeBytes: download.sizeBytes };
  } catch (thrown) {
    const error = withoutRetry(thrown);
    const isOfServer = error instanceof AppError && error.code === "FILE_DIGEST_MISMATCH" && !(error.cause instanceof DecryptionError);
    if (!isOfServer) throw error;
    throw new AppError(
      "FILE_DIGEST_MISMATCH",
      "The bytes that were written do not have the SHA-256 that the server names. Do not use them.",
    );
  }
}
