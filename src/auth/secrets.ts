import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";

/** SHA-256 in hexadecimal: how one-time tokens of 256 random bits are kept. */
export const hashToken = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function sameText(left: string, right: string): boolean {
  const a = createHash("sha256").update(left).digest();
  const b = createHash("sha256").update(right).digest();
  return timingSafeEqual(a, b);
}

/** Whether `token` is the one that was kept as `hash`; false where nothing was kept. */
export function matchesHash(token: string, hash: string | null): boolean {
  return sameText(hashToken(token), hash ?? "") && hash !== null;
}

/** What the server's secret does; each purpose has a key of its own. */
export interface Keyring {
  /** HMAC-SHA256 over `text`, base64url. */
  sign(text: string): string;
  /** Whether `signature` is that of `text`, in constant time. */
  verify(text: string, signature: string): boolean;
  /** Names an address without telling it. */
  pseudonym(text: string): string;
  /** AES-256-GCM, base64url; for answers that may be given again and hold secrets. */
  encrypt(text: string): string;
  /** Throws where the text was altered or made with another secret. */
  decrypt(sealed: string): string;
}

/** Derives the keys from the server's secret. */
export function createKeyring(secret: string): Keyring {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "filehost", purpose, 32));
  const signing = derive("sign");
  const naming = derive("pseudonym");
  const sealing = derive("seal");
  const sign = (text: string): string => createHmac("sha256", signing).update(text).digest("base64url");
  return {
    sign,
    verify(text, signature) {
      const expected = Buffer.from(sign(text));
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    pseudonym: (text) => createHmac("sha256", naming).update(text).digest("base64url").slice(0, 22),
    encrypt(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", sealing, nonce);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    decrypt(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", sealing, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
  };
}
