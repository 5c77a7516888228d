import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import {
  type ChunkCipher,
  createChunkCipher,
  createLibraryCipher,
  createPlatformCipher,
} from "../../src/transfer/encryption/chunk-cipher.ts";
import { TAG_BYTES } from "../../src/transfer/encryption/encrypted-size.ts";

const SIZES = [0, 1, 63, 64, 65, 64 * 1024];

/** encryption, "Keys". */
describe("the cipher of chunks", () => {
  const key = new Uint8Array(randomBytes(32));
  const nonce = new Uint8Array(randomBytes(12));

  const seal = async (cipher: ChunkCipher, bytes: Uint8Array): Promise<Uint8Array> => {
    const sealed = new Uint8Array(bytes.length + TAG_BYTES);
    await cipher.seal(nonce, bytes, sealed);
    return sealed;
  };
  const open = async (cipher: ChunkCipher, sealed: Uint8Array): Promise<Uint8Array> => {
    const opened = new Uint8Array(sealed.length - TAG_BYTES);
    await cipher.open(nonce, sealed, opened);
    return opened;
  };

  test("of the platform and of the library have the same results, and decrypt each other's", async () => {
    const [platform, library, chosen] = [await createPlatformCipher(key), createLibraryCipher(key), await createChunkCipher(key)];
    for (const size of SIZES) {
      const bytes = new Uint8Array(randomBytes(size));
      const sealed = await seal(library, bytes);
      for (const cipher of [platform, chosen]) assert.deepEqual(await seal(cipher, bytes), sealed, `${size} bytes`);
      for (const cipher of [platform, library, chosen]) assert.deepEqual(await open(cipher, sealed), bytes, `${size} bytes`);
    }
  });

  test("refuses changed bytes, another nonce and another key", async () => {
    const bytes = new Uint8Array(randomBytes(1000));
    for (const create of [createPlatformCipher, createLibraryCipher]) {
      const cipher = await create(key);
      const sealed = await seal(cipher, bytes);
      for (const position of [0, 999, 1000, sealed.length - 1]) {
        const changed = sealed.slice();
        changed[position] = (changed[position] ?? 0) ^ 1;
        await assert.rejects(open(cipher, changed), `${create.name}, byte ${position}`);
      }
      await assert.rejects(async () => open(await create(new Uint8Array(randomBytes(32))), sealed));
      await assert.rejects(async () => cipher.open(new Uint8Array(12), sealed, new Uint8Array(1000)));
    }
  });
});
