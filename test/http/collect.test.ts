import assert from "node:assert/strict";
import { test } from "node:test";
import { collect } from "../../src/http/collect.ts";

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

test("all chunks in one, of exactly the announced length", async () => {
  assert.equal(new TextDecoder().decode(await collect(chunks("ab", "", "c"), 3)), "abc");
  assert.equal((await collect(chunks(), 0)).length, 0);
});

test("fewer bytes than announced, or more, are an error", async () => {
  await assert.rejects(collect(chunks("ab"), 3), /ends at byte 2/);
  await assert.rejects(collect(chunks("ab", "cd"), 3));
});
