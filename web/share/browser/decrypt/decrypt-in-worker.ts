import { DecryptionError } from "../../../../src/transfer/encryption/decryption-error.ts";
import { receiveStream, sendOverPort } from "./port-stream.ts";
import type { Begin, Opened, Ready } from "./worker-messages.ts";

/** The path of the worker's script, which is inserted when the scripts are bundled. */
declare const DECRYPT_WORKER: string;

export interface Decrypted {
  /** The name that the sender has hidden. Unchecked. */
  readonly name: string | undefined;
  /** The bytes of the file. They are complete only if the stream ends without an error. */
  readonly body: ReadableStream<Uint8Array>;
  /** Ends the worker, and cancels the source. */
  close(): void;
}

/**
 * Begins to decrypt with an identity or a passphrase. Calls `openSource` only after the worker was loaded, because it may count a download. Rejects,
 * and its body fails, with DecryptionError, the error of the source, the error of a worker that cannot be loaded, or the signal's reason.
 */
export async function decryptInWorker(
  openSource: () => Promise<ReadableStream<Uint8Array>>,
  key: string,
  signal: AbortSignal,
): Promise<Decrypted> {
  signal.throwIfAborted();
  const worker = new Worker(DECRYPT_WORKER, { type: "module" });
  const [input, output] = [new MessageChannel(), new MessageChannel()];
  const failing = new AbortController();
  const fail = (error: unknown): void => failing.abort(error);
  const onAbort = (): void => fail(signal.reason);
  signal.addEventListener("abort", onAbort);
  worker.onerror = () => fail(new Error("The worker cannot be loaded"));
  let sending: ReturnType<typeof sendOverPort> | undefined;
  const body = receiveStream(output.port1, failing.signal);
  const close = (): void => {
    signal.removeEventListener("abort", onAbort);
    worker.terminate();
    void sending?.cancel();
    for (const { port1 } of [input, output]) port1.close();
  };
  try {
    await loaded(worker, failing.signal);
    sending = sendOverPort(await openSource(), input.port1, { onError: fail });
    failing.signal.throwIfAborted();
    return { name: await open(worker, { key, input: input.port2, output: output.port2 }, failing.signal), body, close };
  } catch (error) {
    close();
    throw error;
  }
}

function loaded(worker: Worker, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    worker.onmessage = ({ data }: MessageEvent<Ready>) => data.isReady && resolve();
  });
}

function open(worker: Worker, begin: Begin, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    worker.onmessage = ({ data }: MessageEvent<Opened>) =>
      "problem" in data ? reject(new DecryptionError(data.problem)) : resolve(data.name);
    worker.postMessage(begin, [begin.input, begin.output]);
  });
}
