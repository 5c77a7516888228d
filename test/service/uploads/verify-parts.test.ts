import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { createPartVerifier } from "../../../src/service/uploads/verify-parts.ts";
import { sha256 } from "../../e2e/support/uploads/multipart.ts";

/** storage, "Parts and an S3 store": parts that were sent directly to the store are compared with their digests. */
describe("the part verifier", () => {
  const bytes = randomBytes(1000);
  const partsOf = (partBytes: number, of: Uint8Array = bytes) =>
    Array.from({ length: Math.ceil(of.length / partBytes) }, (_, index) => {
      const part = of.subarray(index * partBytes, (index + 1) * partBytes);
      return { file_id: "f", part_number: index + 1, start_byte: index * partBytes, size_bytes: part.length, sha256: sha256(part) };
    });
  const check = (parts: ReturnType<typeof partsOf>, read: Uint8Array, chunkBytes: number): number | undefined => {
    const verifier = createPartVerifier(parts);
    for (let at = 0; at < read.length; at += chunkBytes) verifier.add(read.subarray(at, at + chunkBytes));
    return verifier.findMismatch();
  };

  test("accepts matching parts for any part and chunk size", () => {
    for (const partBytes of [1, 7, 100, 999, 1000, 5000])
      for (const chunkBytes of [1, 7, 64, 100, 1000]) assert.equal(check(partsOf(partBytes), bytes, chunkBytes), undefined);
  });

  test("finds the part with a changed byte", () => {
    for (const [at, part] of [
      [0, 1],
      [99, 1],
      [100, 2],
      [999, 10],
    ] as const) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      for (const chunkBytes of [1, 33, 1000]) assert.equal(check(partsOf(100), changed, chunkBytes), part);
    }
  });

  test("reports a part that was not read completely", () => {
    assert.equal(check(partsOf(100), bytes.subarray(0, 999), 64), 10);
    assert.equal(check(partsOf(100), bytes.subarray(0, 100), 64), 2);
    assert.equal(check(partsOf(100), new Uint8Array(), 64), 1);
  });

  test("ignores bytes outside the expected parts", () => {
    const some = partsOf(100).filter(({ part_number }) => part_number % 3 === 0);
    assert.equal(check(some, bytes, 33), undefined);
    const changed = Buffer.from(bytes).fill(0, 300, 500);
    assert.equal(check(some, changed, 33), undefined);
    assert.equal(check(some, Buffer.from(bytes).fill(0, 500, 600), 33), 6);
    assert.equal(check([], bytes, 33), undefined);
  });
});
