import assert from "node:assert/strict";
import { test } from "node:test";
import { newBlobKey, newFileId, newKeyPrefix, newSecret, newShortId, newUuid, type Random } from "../../../src/lib/secrets/ids.ts";

const random: Random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));
/** Returns 0, 1, 2 and so on, after 255 again 0. */
const counting = (): Random => {
  let next = 0;
  return (bytes) => new Uint8Array(bytes).map(() => next++ % 256);
};

/** identifiers, "Identifiers". */
test("ids have the documented forms", () => {
  for (let round = 0; round < 200; round += 1) {
    assert.match(newFileId(random), /^[0-9A-Za-z]{16}$/);
    assert.match(newShortId(random), /^[1-9A-HJ-NP-Za-km-z]{8}$/);
    assert.match(newKeyPrefix(random), /^[0-9A-Za-z]{8}$/);
    assert.match(newBlobKey(random), /^[0-9a-f]{32}$/);
    assert.match(newSecret(random, "claim_"), /^claim_[\w-]{43}$/);
  }
});

test("no two ids are the same", () => {
  const ids = Array.from({ length: 2000 }, () => newFileId(random));
  assert.equal(new Set(ids).size, ids.length);
});

test("each character of an id is equally likely, because bytes that would favour some are skipped", () => {
  const source = counting();
  const counts = new Map<string, number>();
  for (let round = 0; round < 31; round += 1)
    for (const character of newFileId(source)) counts.set(character, (counts.get(character) ?? 0) + 1);
  assert.equal(counts.size, 62);
  assert.ok(Math.max(...counts.values()) - Math.min(...counts.values()) <= 2);
});

test("UUIDs are of version 7 and sort by time", () => {
  const nowMs = Date.UTC(2031, 5, 1);
  const ids = [0, 1, 1000, 86_400_000].map((later) => newUuid(random, nowMs + later));
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(Number.parseInt((ids[0] ?? "").replace("-", "").slice(0, 12), 16), nowMs);
});
