import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createWriters } from "../../src/blobs/upload-writers.ts";
import { body, hangingBody, newKey } from "./bodies.ts";

describe("a transfer of an upload", () => {
  test("is removed when it has ended, successfully or not", async () => {
    const writers = createWriters();
    const key = newKey();
    const slow = hangingBody(new Uint8Array(1));
    const running = writers.runPart(key, 1, (writer) => writer.receive(slow.chunks, async () => undefined));
    await slow.reached;
    assert.equal(writers.busyUploads, 1);
    await Promise.all([assert.rejects(running, { code: "UPLOAD_CLOSED" }), writers.closing(key, async () => undefined)]);
    await writers.run(key, (writer) => writer.receive(body(new Uint8Array(3), { pieceBytes: 1 }), async () => undefined));
    await assert.rejects(
      writers.run(key, () => Promise.reject(new Error("no"))),
      /no/,
    );
    await assert.rejects(
      writers.closing(key, () => Promise.reject(new Error("nor"))),
      /nor/,
    );
    assert.equal(writers.busyUploads, 0);
  });

  test("does not start while its upload is being closed", async () => {
    const writers = createWriters();
    const key = newKey();
    await writers.closing(key, async () => {
      await assert.rejects(
        writers.run(key, async () => undefined),
        { code: "UPLOAD_CLOSED" },
      );
      await writers.run(newKey(), async () => undefined);
    });
    assert.equal(await writers.run(key, async () => "open again"), "open again");
  });

  test("is awaited until it no longer writes to disk", async () => {
    const writers = createWriters();
    const key = newKey();
    const order: string[] = [];
    const slow = hangingBody(new Uint8Array(1));
    const onDisk = Promise.withResolvers<void>();
    const running = writers.run(key, async (writer) => {
      await assert.rejects(
        writer.receive(slow.chunks, async () => undefined),
        { code: "UPLOAD_CLOSED" },
      );
      await onDisk.promise;
      order.push("written");
    });
    await slow.reached;
    const closed = writers.closing(key, async () => void order.push("closed"));
    setImmediate(onDisk.resolve);
    await Promise.all([running, closed]);
    assert.deepEqual(order, ["written", "closed"]);
  });

  test("ends its source when processing the bytes fails", async () => {
    const writers = createWriters();
    let ended = false;
    async function* source() {
      try {
        yield new Uint8Array(1);
        yield new Uint8Array(1);
      } finally {
        ended = true;
      }
    }
    const failing = writers.run(newKey(), (writer) => writer.receive(source(), () => Promise.reject(new Error("full"))));
    await assert.rejects(failing, /full/);
    assert.ok(ended);
  });

  test("replaces, as the third of one part, the transfer that has waited longest for bytes", async () => {
    const writers = createWriters();
    const key = newKey();
    const receive = (slow: ReturnType<typeof hangingBody>) =>
      writers.runPart(key, 1, (writer) => writer.receive(slow.chunks, async () => undefined));
    const slow = [1, 2, 3].map(() => hangingBody(new Uint8Array(1)));
    const running: Promise<void>[] = [];
    for (const each of slow.slice(0, 2)) {
      running.push(receive(each));
      await each.reached;
    }
    const other = hangingBody(new Uint8Array(1));
    const otherPart = writers.runPart(key, 2, (writer) => writer.receive(other.chunks, async () => undefined));
    for (const each of slow.slice(2)) running.push(receive(each));
    await assert.rejects(running[0] ?? Promise.resolve(), { code: "CONFLICT" });
    for (const each of [...slow, other]) each.release();
    await Promise.all([...running.slice(1), otherPart]);
    assert.equal(writers.busyUploads, 0);
  });

  test("is not stopped once it has all its bytes; another transfer of the same part waits without reading", async () => {
    const writers = createWriters();
    const key = newKey();
    const placing = Promise.withResolvers<void>();
    const placed = [1, 2].map(() =>
      writers.runPart(key, 1, async (writer) => {
        await writer.receive(body(new Uint8Array(1)), async () => undefined);
        await placing.promise;
      }),
    );
    await new Promise(setImmediate);
    let hasStarted = false;
    const third = writers.runPart(key, 1, async () => {
      hasStarted = true;
    });
    await new Promise(setImmediate);
    assert.equal(hasStarted, false);
    placing.resolve();
    await Promise.all([...placed, third]);
    assert.ok(hasStarted);
    assert.equal(writers.busyUploads, 0);
  });
});
