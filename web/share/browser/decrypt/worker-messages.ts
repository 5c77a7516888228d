import type { ChunkSecrets, Chunks } from "../../../../src/transfer/encryption/chunks.ts";
import type { DecryptionProblem } from "../../../../src/transfer/encryption/decryption-error.ts";

/** The requests to a worker, by their kind, each with its result. A worker responds to each request before it gets the next one. */
export interface WorkerOperations {
  /** Only loads the script. */
  readonly load: { readonly input: Record<never, never>; readonly result: true };
  /** Opens a header with a key: an identity or a passphrase. */
  readonly open: { readonly input: { readonly header: Uint8Array; readonly key: string }; readonly result: Uint8Array };
  /** Decrypts chunks, which are transferred to the worker and back. */
  readonly chunks: { readonly input: ChunkSecrets & Chunks; readonly result: Uint8Array<ArrayBuffer> };
  /** Decrypts a file that is written as text, from one port to another. */
  readonly stream: {
    readonly input: { readonly key: string; readonly input: MessagePort; readonly output: MessagePort };
    readonly result: true;
  };
}

export type WorkerOperation = keyof WorkerOperations;

export type WorkerRequest = {
  [Kind in WorkerOperation]: { readonly kind: Kind; readonly input: WorkerOperations[Kind]["input"] };
}[WorkerOperation];

export type WorkerResponse = { readonly result: WorkerOperations[WorkerOperation]["result"] } | { readonly problem: DecryptionProblem };
