import { generateX25519Identity, identityToRecipient } from "age-encryption";

/** The key pair of one share. */
export interface ShareKey {
  /** The identity, `AGE-SECRET-KEY-1…`, in the fragment `#key=` of the share's link. Never sent to a server. */
  readonly identity: string;
  /** The recipient, `age1…`. */
  readonly recipient: string;
}

export async function createShareKey(): Promise<ShareKey> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Returns the public half of an identity. Throws the library's error for an invalid identity. */
export const recipientOf = (identity: string): Promise<string> => identityToRecipient(identity);
