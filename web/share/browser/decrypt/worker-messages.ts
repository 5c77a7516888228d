import type { DecryptionProblem } from "../../../../src/transfer/encryption/decryption-error.ts";

/** What the page sends to the worker. */
export interface Begin {
  /** An identity or a passphrase. */
  readonly key: string;
  /** From which the worker reads the encrypted bytes. */
  readonly input: MessagePort;
  /** To which it sends what it has decrypted. */
  readonly output: MessagePort;
}

/** The first message of the worker: its script is loaded. */
export interface Ready {
  readonly isReady: true;
}

/** The answer: what is known before the first byte. */
export type Opened = { readonly name: string | undefined } | { readonly problem: DecryptionProblem };
