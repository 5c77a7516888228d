import assert from "node:assert/strict";
import { watch } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createBuffers } from "../../../src/blobs/disk/buffers.ts";

const KB = 1024;

describe("write buffers", () => {
  test("have the size that a small file needs, however many are lent", async () => {
    await using folder = await newFolder();
    const buffers = createBuffers(folder.path);
    const lent = await Promise.all(Array.from({ length: 100 }, () => buffers.take(10 * KB)));
    assert.ok(lent.every(({ bytes }) => bytes.length === 10 * KB));
  });

  test("are large for the first large files, then small, then tiny", async () => {
    await using folder = await newFolder();
    const buffers = createBuffers(folder.path);
    const lent = await Promise.all(Array.from({ length: 300 }, () => buffers.take(2 * KB * KB)));
    assert.deepEqual(
      [lent[0], lent[24], lent[299]].map((buffer) => buffer?.bytes.length),
      [KB * KB, 128 * KB, 16 * KB],
    );
    for (const buffer of lent) buffer.release();
    assert.equal((await buffers.take(2 * KB * KB)).bytes.length, KB * KB);
  });

  test("use a hidden file to find how they are aligned, so that nobody takes it for a staged blob", async () => {
    await using folder = await newFolder();
    const names: (string | null)[] = [];
    using watcher = watchFolder(folder.path, (name) => names.push(name));
    const { release } = await createBuffers(folder.path).take(2 * KB * KB);
    release();
    await watcher.flush();
    assert.ok(names.length > 1);
    assert.deepEqual(
      names.filter((name) => !name?.startsWith(".")),
      [],
    );
  });

  test("are freed when they are released, except large ones", async () => {
    await using folder = await newFolder();
    const buffers = createBuffers(folder.path);
    const [small, large] = [await buffers.take(1), await buffers.take(KB * KB)];
    small.release();
    large.release();
    assert.deepEqual([small.bytes.length, large.bytes.length], [0, KB * KB]);
  });
});

/** Reports the names of changed files. `flush` resolves once all earlier changes are reported. */
function watchFolder(path: string, onChange: (name: string | null) => void): Disposable & { flush(): Promise<void> } {
  const end = Promise.withResolvers<void>();
  const watcher = watch(path, (_, name) => (name === ".end" ? end.resolve() : onChange(name)));
  return {
    async flush() {
      await writeFile(join(path, ".end"), "");
      await end.promise;
    },
    [Symbol.dispose]: () => watcher.close(),
  };
}

async function newFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "filehost-buffers-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
