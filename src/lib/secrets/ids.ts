/** A source of random bytes: `crypto.getRandomValues` in a server, a fixed sequence in tests. */
export type Random = (bytes: number) => Uint8Array;

/** Returns a random number from 0 to 1, for jitter. */
export const randomFraction = (random: Random): number => Buffer.from(random(4)).readUInt32LE() / 2 ** 32;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** The characters of codes that people type, without similar characters such as 0 O, 1 I L, U V. */
const CODE = "23456789ABCDEFGHJKMNPQRSTWXYZ";

/** Returns `length` characters of `alphabet`, each equally likely. */
function randomText(random: Random, alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of random(length)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** Returns a file's ID: 16 characters of base62 (identifiers, "Identifiers"). */
export const newFileId = (random: Random): string => randomText(random, BASE62, 16);

/** Returns a share's short ID: 8 characters of base58. */
export const newShortId = (random: Random): string => randomText(random, BASE58, 8);

/** Returns the part of a request's link that nobody can guess: 12 characters of base58, about 70 random bits (requests, "The link"). */
export const newRequestCode = (random: Random): string => randomText(random, BASE58, 12);

/** Length of a share's unlock code. */
export const UNLOCK_CODE_LENGTH = 6;

/** Returns a share's unlock code: characters that do not look alike. */
export const newUnlockCode = (random: Random): string => randomText(random, CODE, UNLOCK_CODE_LENGTH);

/** Returns a recovery code: 12 characters in groups, about 58 random bits. */
export const newRecoveryCode = (random: Random): string => (randomText(random, CODE, 12).match(/.{4}/g) ?? []).join("-");

/** Returns the code of a device, which a person enters in a browser: 8 characters in two groups, about 39 random bits. */
export const newDeviceUserCode = (random: Random): string => (randomText(random, CODE, 8).match(/.{4}/g) ?? []).join("-");

/** Returns the public prefix of an API key: 8 characters of base62. */
export const newKeyPrefix = (random: Random): string => randomText(random, BASE62, 8);

/** Returns the public name of an upload session. */
export const newSessionKey = (random: Random): string => randomText(random, BASE62, 20);

/** Returns a blob's name in the store: 128 random bits in hexadecimal. */
export const newBlobKey = (random: Random): string => random(16).toHex();

/** Returns 256 random bits in base64url, after a prefix that names the purpose. */
export const newSecret = (random: Random, prefix: string): string =>
  prefix + random(32).toBase64({ alphabet: "base64url", omitPadding: true });

/** Returns a UUID of version 7, which sorts by creation time. */
export function newUuid(random: Random, nowMs: number): string {
  const bytes = random(16);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint16(0, Math.floor(nowMs / 2 ** 32));
  view.setUint32(2, nowMs % 2 ** 32);
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f));
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  const hex = bytes.toHex();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
