/** Loads the library at its first use, because most commands need no password. */
const loadCrypto = () => import("better-auth/crypto");

/** Hashes a password with scrypt, which takes 32 MB. Must not run in a transaction, because it is slow. */
export async function hashPassword(password: string): Promise<string> {
  const { hashPassword } = await loadCrypto();
  return await hashPassword(password);
}

/** Returns whether `hash` is the hash of a password. Must not run in a transaction, because it is slow. */
export async function verifyPassword(guess: { readonly password: string; readonly hash: string }): Promise<boolean> {
  const { verifyPassword } = await loadCrypto();
  return await verifyPassword(guess);
}
