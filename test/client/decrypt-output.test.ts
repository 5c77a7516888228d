import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { decryptOutput } from "../../src/client/download-share/decryption.ts";
import { beginEncryption, createFileKey, encryptStream } from "../../src/transfer/encryption/encrypt.ts";
import { createShareKey } from "../../src/transfer/encryption/share-key.ts";

const PIECE = 64 * 1024;

/** client down, "Where files are saved". */
test("a download ends with the error of its output, whichever write fails", async () => {
  const { identity, recipient } = await createShareKey();
  const encryption = beginEncryption(await createFileKey({ recipients: [recipient] }));
  const pieces: Uint8Array[] = [];
  const plain = async function* () {
    for (let piece = 0; piece < 80; piece += 1) yield randomBytes(PIECE);
  };
  // A copy of each, whose buffer is used again.
  for await (const piece of encryptStream(encryption, plain())) pieces.push(new Uint8Array(piece));
  const bytes = Buffer.concat(pieces);
  /** Decrypts all bytes. The write with a number fails; the first one is 1. Resolves to the number of writes. */
  const decryptAll = async (failing: number, closed?: Error): Promise<number> => {
    let writes = 0;
    const { write, end } = decryptOutput(
      async () => {
        writes += 1;
        if (writes === failing) throw closed;
      },
      { identities: [identity] },
    );
    for (let at = 0; at < bytes.length; at += PIECE) await write(bytes.subarray(at, at + PIECE));
    await end();
    return writes;
  };
  const count = await decryptAll(0);
  assert.ok(count > 3);
  for (const failing of [1, 2, 3, count]) {
    const closed = new Error("nobody reads");
    await assert.rejects(decryptAll(failing, closed), (error) => error === closed);
  }
});
