import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { openDiskStore } from "../../../src/blobs/disk/disk-store.ts";
import type { BlobStore, StagedBlob } from "../../../src/blobs/store.ts";
import { body, hangingBody, neverRecorded, newKey, nothing, partOf, readAll } from "../bodies.ts";

const PART_BYTES = 3 * 1024 * 1024 + 17;

describe("disk store: concurrent transfers of one part", () => {
  let dir: string;
  let store: BlobStore;
  let staged: StagedBlob;
  const whole = randomBytes(2 * PART_BYTES);
  const first = partOf(whole, PART_BYTES, 1);
  const second = partOf(whole, PART_BYTES, 2);
  const head = first.bytes.subarray(0, PART_BYTES - 10);
  const tail = first.bytes.subarray(PART_BYTES - 10);

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "filehost-blobs-"));
    store = await openDiskStore({ dir, minFreeBytes: 0 });
    staged = await store.stage(newKey(), whole.length);
  });
  afterEach(() => rm(dir, { recursive: true }));

  async function assertCommitted(expected: Uint8Array): Promise<void> {
    await store.commit(staged, []);
    assert.ok((await readAll(store.read(staged.key))).equals(expected));
    assert.deepEqual(await readdir(join(dir, "staging")), []);
  }

  const writeSecond = () => store.writePart(staged, second.input, body(second.bytes), nothing);

  test("the transfer that completes first replaces a stalled one", async () => {
    const slow = hangingBody(head, tail);
    const hanging = assert.rejects(store.writePart(staged, first.input, slow.chunks, neverRecorded), { code: "CONFLICT" });
    await slow.reached;
    let recorded = 0;
    await store.writePart(staged, first.input, body(first.bytes), async () => {
      recorded++;
    });
    await hanging;
    slow.release();
    assert.equal(recorded, 1);
    await writeSecond();
    await assertCommitted(whole);
  });

  test("a stalled transfer with other bytes leaves none of them", async () => {
    const other = partOf(randomBytes(PART_BYTES), PART_BYTES, 1);
    const slow = hangingBody(other.bytes.subarray(0, PART_BYTES - 1));
    const hanging = assert.rejects(store.writePart(staged, other.input, slow.chunks, neverRecorded), { code: "CONFLICT" });
    await slow.reached;
    await store.writePart(staged, first.input, body(first.bytes), nothing);
    await hanging;
    await writeSecond();
    await assertCommitted(whole);
  });

  test("a later transfer that stalls or fails changes nothing", async () => {
    const slow = hangingBody(head, randomBytes(10));
    const ahead = hangingBody(head, tail);
    const inPlace = store.writePart(staged, first.input, ahead.chunks, nothing);
    await ahead.reached;
    const inSideFile = assert.rejects(store.writePart(staged, first.input, slow.chunks, neverRecorded), { code: "DIGEST_MISMATCH" });
    await slow.reached;
    ahead.release();
    await inPlace;
    slow.release();
    await inSideFile;
    await writeSecond();
    await assertCommitted(whole);
  });

  test("a transfer with an outdated record does not overwrite a stored part", async () => {
    await store.writePart(staged, first.input, body(first.bytes), nothing);
    const stale = store.writePart(staged, { ...first.input, isUploaded: false }, body(randomBytes(PART_BYTES)), neverRecorded);
    await assert.rejects(stale, { code: "DIGEST_MISMATCH" });
    await writeSecond();
    await assertCommitted(whole);
  });

  test("both transfers of the same bytes resolve and are recorded", async () => {
    let recorded = 0;
    const record = async () => {
      recorded++;
    };
    const ahead = hangingBody(head, tail);
    const late = hangingBody(head, tail);
    const both = [store.writePart(staged, first.input, ahead.chunks, record)];
    await ahead.reached;
    both.push(store.writePart(staged, first.input, late.chunks, record));
    await late.reached;
    ahead.release();
    await both[0];
    late.release();
    assert.deepEqual(await Promise.all(both), Array(2).fill({ etag: `"${first.input.sha256}"` }));
    assert.equal(recorded, 2);
    await writeSecond();
    await assertCommitted(whole);
  });

  test("many concurrent transfers with two contents leave the content recorded last", async () => {
    const other = partOf(randomBytes(PART_BYTES), PART_BYTES, 1);
    let last = "";
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => {
        const { input, bytes } = i % 2 ? other : first;
        return store.writePart(staged, input, body(bytes, { pieceBytes: 10_000 + 7919 * i }), async () => {
          last = input.sha256;
        });
      }),
    );
    for (const outcome of outcomes) if (outcome.status === "rejected") assert.equal(outcome.reason.code, "CONFLICT");
    assert.ok(outcomes.some(({ status }) => status === "fulfilled"));
    await writeSecond();
    await assertCommitted(Buffer.concat([last === first.input.sha256 ? first.bytes : other.bytes, second.bytes]));
  });

  test("deletes the record before different bytes replace a stored part, and only then", async () => {
    const told: string[] = [];
    const onReplace = async () => void told.push("replace");
    const onPlaced = async () => void told.push("placed");
    await store.writePart(staged, first.input, body(first.bytes), onPlaced);
    await store.writePart(staged, { ...first.input, isUploaded: true, onReplace }, body(first.bytes), onPlaced);
    assert.deepEqual(told, ["placed", "placed"]);
    const other = partOf(randomBytes(PART_BYTES), PART_BYTES, 1);
    await store.writePart(staged, { ...other.input, isUploaded: true, onReplace }, body(other.bytes), onPlaced);
    assert.deepEqual(told, ["placed", "placed", "replace", "placed"]);
    await writeSecond();
    await assertCommitted(Buffer.concat([other.bytes, second.bytes]));
  });

  test("rejects if recording the part fails, and accepts the part again", async () => {
    const failed = new Error("no database");
    await assert.rejects(
      store.writePart(staged, first.input, body(first.bytes), () => Promise.reject(failed)),
      failed,
    );
    await store.writePart(staged, first.input, body(first.bytes), nothing);
    await writeSecond();
    await assertCommitted(whole);
  });

  test("commit and discard stop running transfers, which leave nothing", async () => {
    for (const end of ["commit", "discard"] as const) {
      const upload = await store.stage(newKey(), whole.length);
      await store.writePart(upload, first.input, body(first.bytes), nothing);
      await store.writePart(upload, second.input, body(second.bytes), nothing);
      const third = partOf(randomBytes(100), 100, 1);
      const inPlace = hangingBody(third.bytes.subarray(0, 50));
      const inSideFile = hangingBody(randomBytes(PART_BYTES - 1));
      const input = { ...third.input, partNumber: 3, offset: 2 * PART_BYTES };
      const stopped = [
        assert.rejects(store.writePart(upload, input, inPlace.chunks, neverRecorded), { code: "UPLOAD_CLOSED" }),
        assert.rejects(store.writePart(upload, { ...first.input, isUploaded: true }, inSideFile.chunks, neverRecorded), {
          code: "UPLOAD_CLOSED",
        }),
      ];
      await Promise.all([inPlace.reached, inSideFile.reached]);
      await (end === "commit" ? store.commit(upload, []) : store.discard(upload));
      await Promise.all(stopped);
      assert.equal(await store.size(upload.key), end === "commit" ? whole.length : undefined);
      if (end === "commit") assert.ok((await readAll(store.read(upload.key))).equals(whole));
    }
    assert.deepEqual(await readdir(join(dir, "staging")), [staged.key]);
  });
});
