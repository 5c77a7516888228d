import { isIdentity } from "./fragment-key.ts";

export interface NewIdentity {
  /** The private key, `AGE-SECRET-KEY-1…`. */
  readonly identity: string;
  /** The public key, `age1…`. */
  readonly recipient: string;
  readonly createdAt: Date;
}

/** Writes a key as `age-keygen` does, so that `age -d -i` and `filehost down --identity` read it. */
export const toIdentityFile = ({ identity, recipient, createdAt }: NewIdentity): string =>
  `# created: ${createdAt.toISOString().replace(/\.\d+Z$/, "Z")}\n# public key: ${recipient}\n${identity}\n`;

/** Reads the private keys in a file that `age-keygen`, this client or a page has written. */
export const readIdentityFile = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(isIdentity);
