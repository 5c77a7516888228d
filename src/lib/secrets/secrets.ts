import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/** Returns the SHA-256 in hexadecimal: the stored form of tokens with 256 random bits. */
export const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Returns whether two texts are equal, in constant time. */
export function isEqualText(left: string, right: string): boolean {
  const a = createHash("sha256").update(left).digest();
  const b = createHash("sha256").update(right).digest();
  return timingSafeEqual(a, b);
}

/** Returns whether `hash` is the hash of `token`; false if `hash` is null. */
export function matchesHash(token: string, hash: string | null): boolean {
  return isEqualText(hashToken(token), hash ?? "") && hash !== null;
}

/** Signs and encrypts with keys derived from the server's secret, one per purpose. */
export interface Keyring {
  /** A value that only this secret gives, from which it cannot be computed. */
  readonly check: string;
  /** Returns the HMAC-SHA256 of `text` in base64url. */
  sign(text: string): string;
  /** Returns whether `signature` is the signature of `text`, in constant time. */
  verify(text: string, signature: string): boolean;
  /** Returns a stable pseudonym of an address, from which the address cannot be computed. */
  pseudonym(text: string): string;
  /** Encrypts with AES-256-GCM, in base64url, for stored responses that contain secrets. */
  encrypt(text: string): string;
  /** Decrypts. Throws if the text was altered or encrypted with another secret. */
  decrypt(sealed: string): string;
}

/** Derives the keys from the server's secret. */
export function createKeyring(secret: string): Keyring {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "filehost", purpose, 32));
  const signingKey = derive("sign");
  const pseudonymKey = derive("pseudonym");
  const encryptionKey = derive("seal");
  const check = derive("check").toString("base64url");
  const sign = (text: string): string => createHmac("sha256", signingKey).update(text).digest("base64url");
  return {
    check,
    sign,
    verify(text, signature) {
      const expected = Buffer.from(sign(text));
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    pseudonym: (text) => createHmac("sha256", pseudonymKey).update(text).digest("base64url").slice(0, 22),
    encrypt(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", encryptionKey, nonce);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    decrypt(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", encryptionKey, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
  };
}
