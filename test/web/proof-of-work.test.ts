import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

/** Imported by URL, because the compiler treats scripts of pages as text. */
const { findNonce }: { findNonce(challengeId: string, difficulty: number): Promise<string> } = await import(
  new URL("../../web/site/browser/proof-of-work.browser.js", import.meta.url).href
);

/** unlocking, "A share with many wrong codes requires work": SHA-256 of the text `challenge_id` + `:` + `nonce`. */
test("the first nonce of the difficulty is found for challenges of every length", async () => {
  const hasWork = (id: string, nonce: number, difficulty: number): boolean =>
    createHash("sha256").update(`${id}:${nonce}`).digest().readUInt32BE() >>> (32 - difficulty) === 0;
  for (let length = 1; length <= 140; length += 1) {
    const id = "ü".repeat(length % 3) + "a".repeat(length);
    let first = 0;
    while (!hasWork(id, first, 7)) first += 1;
    assert.equal(await findNonce(id, 7), String(first), String(length));
  }
});
