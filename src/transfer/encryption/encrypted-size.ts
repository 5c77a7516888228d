import { wrappedSize } from "./wrapped-size.ts";

/** The size of a chunk's content, and of the chunk with its tag. The last chunk of a file may be shorter. */
export const CHUNK_BYTES = 64 * 1024;
export const TAG_BYTES = 16;
export const SEALED_BYTES = CHUNK_BYTES + TAG_BYTES;
export const NONCE_BYTES = 16;

/** Returns the size of a file after its encryption, in bytes. */
export function encryptedSize({ header }: { readonly header: { readonly length: number } }, sizeBytes: number): number {
  return header.length + NONCE_BYTES + sizeBytes + TAG_BYTES * Math.max(1, Math.ceil(sizeBytes / CHUNK_BYTES));
}

/** The header of a file for one recipient, whose length the format determines. */
const ONE_RECIPIENT = { length: 168 };

/** Returns the size of a file, in bytes, after a page has encrypted it together with its name. */
export const sizeFromPage = (sizeBytes: number): number => encryptedSize({ header: ONE_RECIPIENT }, wrappedSize(sizeBytes));
