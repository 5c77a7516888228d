/*
 * Streams between the page and its worker, also for browsers that cannot transfer streams. Bytes are sent on request of the other side, so that
 * neither side collects them.
 */
import { DecryptionError, type DecryptionProblem } from "../../../../src/transfer/encryption/decryption-error.ts";

const PULL = "pull";
const CANCEL = "cancel";
type Reply = { readonly bytes: Uint8Array } | { readonly isDone: true } | { readonly problem: DecryptionProblem };

/** Returns the problem of an error. Only the problem can be sent to the other side. */
export const problemOf = (error: unknown): DecryptionProblem => (error instanceof DecryptionError ? error.problem : "damaged");

interface SendOptions {
  /** Receives the error of the stream. */
  onError?(error: unknown): void;
  /** Runs if the other side reads no further. */
  onCancel?(): void;
  /** Runs at each request for bytes. */
  onPull?(): void;
}

/** Sends a stream at the pace of the other side. */
export function sendOverPort(
  stream: ReadableStream<Uint8Array>,
  port: MessagePort,
  { onError, onCancel, onPull }: SendOptions = {},
): { cancel(): Promise<void> } {
  const reader = stream.getReader();
  port.onmessage = async ({ data }: MessageEvent<typeof PULL | typeof CANCEL>) => {
    if (data === CANCEL) return onCancel?.();
    onPull?.();
    try {
      const { done, value } = await reader.read();
      if (done) return port.postMessage({ isDone: true } satisfies Reply);
      // The bytes are copied, because sending a view would send its whole buffer, which the reader of the stream may keep.
      const bytes = new Uint8Array(value);
      port.postMessage({ bytes } satisfies Reply, [bytes.buffer]);
    } catch (error) {
      onError?.(error);
      port.postMessage({ problem: problemOf(error) } satisfies Reply);
    }
  };
  return { cancel: () => reader.cancel().catch(() => undefined) };
}

/** Receives the stream of the other side. It fails with the sent problem, or with the reason of the signal. */
export function receiveStream(port: MessagePort, signal?: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (signal?.aborted) controller.error(signal.reason);
      else signal?.addEventListener("abort", () => controller.error(signal.reason));
    },
    async pull(controller) {
      const reply = await new Promise<Reply>((resolve) => {
        port.onmessage = ({ data }: MessageEvent<Reply>) => resolve(data);
        port.postMessage(PULL);
      });
      if (signal?.aborted) return;
      if ("bytes" in reply) controller.enqueue(reply.bytes);
      else if ("problem" in reply) controller.error(new DecryptionError(reply.problem));
      else controller.close();
    },
    cancel: () => port.postMessage(CANCEL),
  });
}
