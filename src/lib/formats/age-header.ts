/** The version line of a file in the age format, and the start of its first recipient. */
const HEADER = new TextEncoder().encode("age-encryption.org/v1\n-> ");
/** The text form of an age file: its first line, after white space, and its first line of base64, which is full unless it is the only one. */
const ARMORED = /^\s{0,1024}-----BEGIN AGE ENCRYPTED FILE-----[ \t]*\r?\n([A-Za-z0-9+/]{64})\r?\n/;

/** Maximum number of first bytes that `hasAgeHeader` reads. */
export const AGE_HEADER_BYTES = 1200;

/** Returns whether bytes begin like a file that the program `age` encrypted, in its binary form or as text (`age --armor`). */
export function hasAgeHeader(bytes: Uint8Array): boolean {
  if (startsWith(bytes, HEADER)) return true;
  const head = bytes.subarray(0, AGE_HEADER_BYTES);
  // Few files begin with a hyphen, and every upload is inspected: the others are not made into a text.
  if (head.find(isNoSpace) !== HYPHEN) return false;
  const text = String.fromCharCode(...head);
  const [, base64] = ARMORED.exec(text) ?? [];
  return base64 !== undefined && startsWith(Uint8Array.from(atob(base64), toCode), HEADER);
}

const HYPHEN = 0x2d;
const SPACES = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0]);
const isNoSpace = (byte: number): boolean => !SPACES.has(byte);

/** The start of the text form, after white space. */
const ARMOR_START = "-----BEGIN AGE";

/** Returns whether further bytes can give these bytes an age header. */
export function mayBecomeAge(bytes: Uint8Array): boolean {
  if (bytes.length >= AGE_HEADER_BYTES) return false;
  if (startsWith(HEADER, bytes)) return true;
  const text = String.fromCharCode(...bytes).trimStart();
  return ARMOR_START.startsWith(text.slice(0, ARMOR_START.length));
}

const toCode = (character: string): number => character.charCodeAt(0);

const startsWith = (bytes: Uint8Array, start: Uint8Array): boolean =>
  bytes.length >= start.length && start.every((byte, index) => bytes[index] === byte);
