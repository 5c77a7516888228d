import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createByteStore } from "../../../src/client/download-file/byte-store.ts";
import { BLOCK_BYTES } from "../../../src/lib/system/uncached-write.ts";
import { makeFolder } from "../../support/folder.ts";

const SIZE_BYTES = 64 * 1024 ** 2 + 7;
const MB = 1024 ** 2;

/** client down, "Continuing": a download can continue at any byte. */
test("a large file contains the bytes that were written within blocks, across them, and repeatedly", async () => {
  await using dir = await makeFolder();
  const path = join(dir.path, "large");
  await using handle = await open(path, "w+");
  await using store = createByteStore(handle, SIZE_BYTES);
  const expected = Buffer.alloc(SIZE_BYTES);
  const write = async (position: number, length: number, isReadAgain = false): Promise<void> => {
    const bytes = randomBytes(length);
    bytes.copy(expected, position);
    await store.write(bytes, position, isReadAgain);
  };
  await write(0, MB);
  await write(MB, 5);
  await write(MB + 5, BLOCK_BYTES - 5);
  await write(MB + BLOCK_BYTES, MB);
  await write(BLOCK_BYTES / 2, BLOCK_BYTES);
  await write(0, BLOCK_BYTES);
  await write(32 * MB, MB, true);
  await write(32 * MB + BLOCK_BYTES, MB);
  await write(SIZE_BYTES - 7, 7);
  assert.ok((await readFile(path)).equals(expected));
  const read = Buffer.alloc(MB);
  assert.equal(await store.read(read, BLOCK_BYTES), MB);
  assert.ok(read.equals(expected.subarray(BLOCK_BYTES, BLOCK_BYTES + MB)));
});
