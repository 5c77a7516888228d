import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { truncate, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { type LocalFile, openLocalFile } from "../../../src/client/upload-file/local-file.ts";
import { createPartSender } from "../../../src/client/upload-file/part-sender.ts";
import { makeFolder } from "../../support/folder.ts";
import { startOrigin } from "../../support/services/origin-server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";

const MB = 1024 ** 2;
/** More than the sockets of a connection hold. */
const SIZE = 64 * MB;
const PART = 8 * MB;
/** The system has sendfile, and this runtime uses it. */
const skip = process.platform === "linux" ? undefined : "only Linux";

const server = { reach: (url: string) => new URL(url), apiUrl: "", siteUrl: "", configuredApiUrl: "", hosts: [] };

/** client up, "How bytes are sent". */
describeUnless(skip, "a part that the system sends", () => {
  const bytes = Buffer.alloc(SIZE, "0123456789abcde");
  const sha256 = (data: Uint8Array): string => createHash("sha256").update(data).digest("hex");

  async function openFile(folder: string): Promise<{ readonly path: string; readonly file: LocalFile }> {
    const path = join(folder, "a.bin");
    await writeFile(path, bytes);
    return { path, file: await openLocalFile({ path, name: "a.bin" }) };
  }

  /** Stores what arrives, except that of `/held`, which it does not read. */
  async function startStore() {
    const digests: string[] = [];
    let held: IncomingMessage | undefined;
    const store = await startOrigin({
      "/part": (request, response) => {
        const hash = createHash("sha256");
        request.on("data", (chunk: Uint8Array) => hash.update(chunk));
        request.on("end", () => {
          digests.push(hash.digest("hex"));
          response.setHeader("ETag", '"stored"').end();
        });
      },
      "/held": (request) => {
        held = request.pause();
      },
    });
    return { store, digests, isHeld: () => held !== undefined };
  }

  /** Sends parts until one is reported in one piece: until the line counts as fast. */
  async function sendUntilFast(sender: ReturnType<typeof createPartSender>, url: string, signal: AbortSignal): Promise<void> {
    await until("a part is sent in one piece", async () => {
      const reports: number[] = [];
      await sender.put(url, { start: PART, size: PART }, { signal, onProgress: (sent) => reports.push(sent) });
      return reports.length === 1 && reports[0] === PART;
    });
  }

  const { signal } = new AbortController();

  test("contains the bytes of its slice", async () => {
    await using folder = await makeFolder();
    const { file } = await openFile(folder.path);
    await using _ = file;
    const { store, digests } = await startStore();
    await using _store = store;
    await sendUntilFast(createPartSender({ file, server }), `${store.url}/part`, signal);
    const slice = sha256(bytes.subarray(PART, 2 * PART));
    assert.ok(digests.length > 1);
    assert.ok(digests.every((digest) => digest === slice));
  });

  test("is never read from the disk for a transformed file", async () => {
    await using folder = await makeFolder();
    const { file } = await openFile(folder.path);
    await using _ = file;
    const { store, digests } = await startStore();
    await using _store = store;
    const made: LocalFile = {
      ...file,
      async read(buffer) {
        buffer.fill(7);
        return buffer.length;
      },
    };
    const sender = createPartSender({ file: made, server });
    for (let count = 0; count < 5; count += 1)
      await sender.put(`${store.url}/part`, { start: 0, size: PART }, { signal, onProgress: () => undefined });
    assert.deepEqual(new Set(digests), new Set([sha256(Buffer.alloc(PART, 7))]));
  });

  test("ends with CONFLICT if its file becomes shorter meanwhile", async () => {
    await using folder = await makeFolder();
    const { file, path } = await openFile(folder.path);
    await using _ = file;
    const { store, isHeld } = await startStore();
    await using _store = store;
    const sender = createPartSender({ file, server });
    await sendUntilFast(sender, `${store.url}/part`, signal);
    const sending = sender.put(`${store.url}/held`, { start: 0, size: SIZE }, { signal, onProgress: () => undefined });
    const refused = assert.rejects(sending, { code: "CONFLICT" });
    await until("the store has the beginning of the part", isHeld);
    await truncate(path, PART);
    await refused;
  });
});
