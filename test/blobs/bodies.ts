import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { BlobStore, PartInput } from "../../src/blobs/store.ts";

export const newKey = (): string => randomBytes(16).toString("hex");

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Yields the bytes in pieces, and then throws `error` where one is given. */
export async function* body(
  bytes: Uint8Array,
  { pieceBytes = 65_537, error }: { pieceBytes?: number; error?: Error } = {},
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  if (error) throw error;
}

/** Yields `bytes`, then hangs until `release` is called; `reached` resolves when the reader asks for more. */
export function hangingBody(bytes: Uint8Array, rest: Uint8Array = new Uint8Array()) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytes;
    reached.resolve();
    await released.promise;
    yield rest;
  }
  return { chunks: chunks(), reached: reached.promise, release: released.resolve };
}

export async function readAll(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Part `partNumber` of `whole`, cut every `partBytes`, and its bytes. */
export function partOf(whole: Uint8Array, partBytes: number, partNumber: number): { input: PartInput; bytes: Uint8Array } {
  const offset = (partNumber - 1) * partBytes;
  const bytes = whole.subarray(offset, offset + partBytes);
  return { bytes, input: { partNumber, offset, sizeBytes: bytes.length, sha256: sha256(bytes), isUploaded: false } };
}

/** Makes a visible blob. */
export async function putBlob(store: BlobStore, bytes: Uint8Array, key = newKey()): Promise<string> {
  const staged = await store.stage(key, bytes.length, { isDirect: true });
  await store.writeAll(staged, body(bytes));
  await store.commit(staged);
  return key;
}

export const nothing = async (): Promise<void> => undefined;

/** For a part that must not be recorded. */
export const neverRecorded = async (): Promise<void> => assert.fail("recorded a part that is not complete");
