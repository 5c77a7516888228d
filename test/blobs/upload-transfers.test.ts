import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createUploadTransfers } from "../../src/blobs/upload-transfers.ts";
import { body, hangingBody, newKey } from "./bodies.ts";

describe("a transfer of an upload", () => {
  test("is removed when it has ended, successfully or not", async () => {
    const transfers = createUploadTransfers();
    const key = newKey();
    const slow = hangingBody(new Uint8Array(1));
    const running = transfers.runPart(key, 1, (transfer) => transfer.receive(slow.chunks, async () => undefined));
    await slow.reached;
    assert.equal(transfers.busyUploads, 1);
    await Promise.all([assert.rejects(running, { code: "UPLOAD_CLOSED" }), transfers.closeUpload(key, async () => undefined)]);
    await transfers.run(key, (transfer) => transfer.receive(body(new Uint8Array(3), { pieceBytes: 1 }), async () => undefined));
    await assert.rejects(
      transfers.run(key, () => Promise.reject(new Error("no"))),
      /no/,
    );
    await assert.rejects(
      transfers.closeUpload(key, () => Promise.reject(new Error("nor"))),
      /nor/,
    );
    assert.equal(transfers.busyUploads, 0);
  });

  test("does not start while its upload is being closed", async () => {
    const transfers = createUploadTransfers();
    const key = newKey();
    await transfers.closeUpload(key, async () => {
      await assert.rejects(
        transfers.run(key, async () => undefined),
        { code: "UPLOAD_CLOSED" },
      );
      await transfers.run(newKey(), async () => undefined);
    });
    assert.equal(await transfers.run(key, async () => "open again"), "open again");
  });

  test("is awaited until it no longer writes to disk", async () => {
    const transfers = createUploadTransfers();
    const key = newKey();
    const order: string[] = [];
    const slow = hangingBody(new Uint8Array(1));
    const onDisk = Promise.withResolvers<void>();
    const running = transfers.run(key, async (transfer) => {
      await assert.rejects(
        transfer.receive(slow.chunks, async () => undefined),
        { code: "UPLOAD_CLOSED" },
      );
      await onDisk.promise;
      order.push("written");
    });
    await slow.reached;
    const closed = transfers.closeUpload(key, async () => void order.push("closed"));
    setImmediate(onDisk.resolve);
    await Promise.all([running, closed]);
    assert.deepEqual(order, ["written", "closed"]);
  });

  test("ends its source when processing the bytes fails", async () => {
    const transfers = createUploadTransfers();
    let ended = false;
    async function* source() {
      try {
        yield new Uint8Array(1);
        yield new Uint8Array(1);
      } finally {
        ended = true;
      }
    }
    const failing = transfers.run(newKey(), (transfer) => transfer.receive(source(), () => Promise.reject(new Error("full"))));
    await assert.rejects(failing, /full/);
    assert.ok(ended);
  });

  test("replaces, as the third of one part, the transfer that has waited longest for bytes", async () => {
    const transfers = createUploadTransfers();
    const key = newKey();
    const receive = (slow: ReturnType<typeof hangingBody>) =>
      transfers.runPart(key, 1, (transfer) => transfer.receive(slow.chunks, async () => undefined));
    const slow = [1, 2, 3].map(() => hangingBody(new Uint8Array(1)));
    const running: Promise<void>[] = [];
    for (const each of slow.slice(0, 2)) {
      running.push(receive(each));
      await each.reached;
    }
    const other = hangingBody(new Uint8Array(1));
    const otherPart = transfers.runPart(key, 2, (transfer) => transfer.receive(other.chunks, async () => undefined));
    for (const each of slow.slice(2)) running.push(receive(each));
    await assert.rejects(running[0] ?? Promise.resolve(), { code: "CONFLICT" });
    for (const each of [...slow, other]) each.release();
    await Promise.all([...running.slice(1), otherPart]);
    assert.equal(transfers.busyUploads, 0);
  });

  test("is not stopped once it has all its bytes; another transfer of the same part waits without reading", async () => {
    const transfers = createUploadTransfers();
    const key = newKey();
    const placing = Promise.withResolvers<void>();
    const placed = [1, 2].map(() =>
      transfers.runPart(key, 1, async (transfer) => {
        await transfer.receive(body(new Uint8Array(1)), async () => undefined);
        await placing.promise;
      }),
    );
    await new Promise(setImmediate);
    let hasStarted = false;
    const third = transfers.runPart(key, 1, async () => {
      hasStarted = true;
    });
    await new Promise(setImmediate);
    assert.equal(hasStarted, false);
    placing.resolve();
    await Promise.all([...placed, third]);
    assert.ok(hasStarted);
    assert.equal(transfers.busyUploads, 0);
  });
});
