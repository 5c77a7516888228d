import { createHmac } from "node:crypto";
import type { Random } from "../../lib/secrets/ids.ts";
import { isEqualText } from "../../lib/secrets/secrets.ts";

/** Time for which an authenticator app shows a code. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** Tolerated difference between the clocks of device and server, in codes. */
const MAX_DRIFT_STEPS = 1;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns 160 random bits in base32, as RFC 4226 recommends. */
export const newTotpSecret = (random: Random): string => toBase32(random(20));

/** Returns the URL with which an authenticator app adds an account, as a QR code or a link. */
export function totpUrl({ secret, issuer, account }: { secret: string; issuer: string; account: string }): string {
  const name = [issuer, account].map(encodeURIComponent).join(":");
  return `otpauth://totp/${name}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}

/** Returns the time step of a code that is valid now (RFC 6238); undefined for any other text. */
export function findTotpStep(secret: string, code: string, nowMs: number): number | undefined {
  const now = Math.floor(nowMs / STEP_MS);
  const steps = Array.from({ length: 2 * MAX_DRIFT_STEPS + 1 }, (_, index) => now - MAX_DRIFT_STEPS + index);
  // Compares all steps, so that the time does not reveal which one matched.
  const found = steps.filter((step) => isEqualText(toTotpCode(secret, step), code));
  return found.at(-1);
}

/** Returns the code of a time step. */
export function toTotpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join("");
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}
