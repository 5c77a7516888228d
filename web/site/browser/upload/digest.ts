/** SHA-256 digests, computed in a worker. */
import { upload as texts } from "#texts/site";
import { PermanentFailure } from "./failures.ts";

/** The path of the worker's script, which is inserted when the scripts are bundled. */
declare const DIGEST_WORKER: string;

export interface Digester {
  /** Resolves to one digest for each blob; null for a blob that has changed or cannot be read. */
  digests(blobs: readonly Blob[]): Promise<readonly (string | null)[]>;
  /** Ends the worker. Later digests start another one. */
  close(): void;
}

export function createDigester(): Digester {
  let worker: Worker | undefined;
  const waiting = new Map<number, { resolve(digests: readonly (string | null)[]): void; reject(error: Error): void }>();
  let lastId = 0;
  let failure: PermanentFailure | undefined;

  function start(): Worker {
    const started = new Worker(DIGEST_WORKER, { type: "module" });
    started.onmessage = ({ data: { id, digests } }: MessageEvent<{ id: number; digests: readonly (string | null)[] }>) => {
      waiting.get(id)?.resolve(digests);
      waiting.delete(id);
    };
    started.onerror = () => {
      failure = new PermanentFailure(texts.notLoaded);
      rejectAll(failure);
    };
    return started;
  }

  function rejectAll(error: Error): void {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  return {
    digests: (blobs) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure);
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        worker ??= start();
        worker.postMessage({ id: lastId, blobs });
      }),
    close() {
      worker?.terminate();
      worker = undefined;
      rejectAll(new DOMException("", "AbortError"));
    },
  };
}
