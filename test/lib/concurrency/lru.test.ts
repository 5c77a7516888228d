import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createLru } from "../../../src/lib/concurrency/lru.ts";

const MAX = 6;

function filled(keys: string) {
  const lru = createLru<string, { key: string }>(MAX);
  for (const key of keys) lru.set(key, { key });
  return lru;
}

describe("an LRU", () => {
  test("keeps at most its maximum, and at least the half used last", () => {
    const lru = filled("abcdefghijklmnop");
    const kept = [..."abcdefghijklmnop"].filter((key) => lru.get(key)).join("");
    assert.ok(kept.endsWith("nop"), kept);
    assert.ok(kept.length >= MAX / 2 && kept.length <= MAX, kept);
  });

  test("keeps an entry that is read repeatedly", () => {
    const lru = filled("a");
    for (const key of "bcdefghijklm") {
      lru.set(key, { key });
      assert.deepEqual(lru.get("a"), { key: "a" }, key);
    }
  });

  test("returns the last value set", () => {
    const lru = filled("abcd");
    lru.set("a", { key: "new" });
    for (const key of "efg") lru.set(key, { key });
    assert.deepEqual(lru.get("a"), { key: "new" });
  });

  test("drops a deleted entry of each generation", () => {
    const lru = filled("abcd");
    for (const key of "ad") lru.delete(key);
    assert.deepEqual(
      [..."abcd"].map((key) => lru.get(key)?.key),
      [undefined, "b", "c", undefined],
    );
  });
});
