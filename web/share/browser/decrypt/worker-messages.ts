import type { DecryptionProblem } from "../../../../src/transfer/encryption/decryption-error.ts";

/** The message that starts the worker. */
export interface Begin {
  /** The key: an identity or a passphrase. */
  readonly key: string;
  /** The port from which the worker reads the encrypted bytes. */
  readonly input: MessagePort;
  /** The port to which the worker sends the decrypted bytes. */
  readonly output: MessagePort;
}

/** The first message of the worker, after its script is loaded. */
export interface Ready {
  readonly isReady: true;
}

/** The worker's response before the first byte: the hidden name, or the problem. */
export type Opened = { readonly name: string | undefined } | { readonly problem: DecryptionProblem };
