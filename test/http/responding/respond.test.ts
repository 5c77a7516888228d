import assert from "node:assert/strict";
import { test } from "node:test";
import { bufferStream } from "../../../src/http/responding/respond.ts";

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

test("buffers all chunks of a stream of the given length", async () => {
  assert.equal(new TextDecoder().decode(await bufferStream(chunks("ab", "", "c"), 3)), "abc");
  assert.equal((await bufferStream(chunks(), 0)).length, 0);
});

test("throws if a stream has fewer or more bytes than given", async () => {
  await assert.rejects(bufferStream(chunks("ab"), 3), /ends at byte 2/);
  await assert.rejects(bufferStream(chunks("ab", "cd"), 3));
});
