import { generateX25519Identity, identityToRecipient } from "age-encryption";

/** A key pair that is made for one share. */
export interface ShareKey {
  /** `AGE-SECRET-KEY-1…`, what follows the `#key=` of the share's link. Never sent to a server. */
  readonly identity: string;
  /** `age1…` */
  readonly recipient: string;
}

export async function createShareKey(): Promise<ShareKey> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** The public half of an identity. Throws the library's error for one that is not valid. */
export const recipientOf = (identity: string): Promise<string> => identityToRecipient(identity);
