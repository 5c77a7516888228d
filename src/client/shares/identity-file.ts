import { writeFile } from "node:fs/promises";
import { isAgeRecipient } from "../../contract/age-recipient.ts";
import { AppError, systemCode } from "../../errors.ts";
import { readIdentityFile, toIdentityFile } from "../../transfer/encryption/identity-file.ts";
import { createShareKey, recipientOf } from "../../transfer/encryption/share-key.ts";
import { readSmallFile } from "../records/read-small-file.ts";

/** The public key of a file of keys. */
export interface OwnKey {
  readonly recipient: string;
  /** Whether the file was missing, and was created with a new key. */
  readonly isNew: boolean;
}

/** Reads the private keys in a file. Throws VALIDATION_FAILED if it has none, and the file system's error. */
export async function readIdentities(path: string): Promise<readonly string[]> {
  const identities = readIdentityFile(await readSmallFile(path));
  if (identities.length > 0) return identities;
  throw new AppError("VALIDATION_FAILED", `There is no key in ${path}. It needs a line that age-keygen has written: AGE-SECRET-KEY-1…`);
}

/**
 * Returns the public key of the first private key in a file. Creates the file, which only its user can read, with a new key if it is missing. Throws
 * VALIDATION_FAILED for a file without a usable key, and the file system's error.
 */
export async function openIdentityFile(path: string): Promise<OwnKey> {
  try {
    const [identity = ""] = await readIdentities(path);
    const recipient = await recipientOf(identity).catch(() => "");
    if (isAgeRecipient(recipient)) return { recipient, isNew: false };
    throw new AppError(
      "VALIDATION_FAILED",
      `The first key in ${path} is damaged or of another kind. Name a file that age-keygen has written.`,
    );
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
  const key = await createShareKey();
  // Another process may have created the file meanwhile, whose key must not be lost.
  await writeFile(path, toIdentityFile({ ...key, createdAt: new Date() }), { mode: 0o600, flag: "wx" });
  return { recipient: key.recipient, isNew: true };
}
