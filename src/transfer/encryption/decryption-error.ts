/**
 * `wrongKey`: none of the keys fits. `damaged`: the bytes were changed, or are incomplete. `unsupported`: finding the key takes more work or memory
 * than is allowed for a file.
 */
export type DecryptionProblem = "wrongKey" | "damaged" | "unsupported";

const MESSAGES: Readonly<Record<DecryptionProblem, string>> = {
  wrongKey: "The key does not match this file.",
  damaged: "The file is damaged or incomplete.",
  unsupported: "The file asks for too much work or memory.",
};

/** The reason why bytes cannot be decrypted. */
export class DecryptionError extends Error {
  override readonly name = "DecryptionError";

  constructor(
    readonly problem: DecryptionProblem,
    options?: ErrorOptions,
  ) {
    super(MESSAGES[problem], options);
  }
}
