import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api/api.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { storedFiles, withDatabase } from "../support/servers/state.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const MB = 1024 ** 2;
/** `FILE_MB=5120` runs it with a larger file. The file is sparse, so that the server's copy alone takes disk space. */
const SIZE_BYTES = Number(process.env.FILE_MB ?? 300) * MB;
const MAX_OWN_BYTES = 100 * MB;
const TIER = { fileBytes: 64 * 1024 ** 3, storageBytes: 64 * 1024 ** 3 };

/** Starts an upload of the file in a separate process, which can be killed; it resumes from the state of an earlier one. */
function startClient(server: TestServer, file: string, state: string): ChildProcess {
  const runtime = join(resolve(import.meta.dirname, "../../.."), "node_modules/.bin/bun");
  return spawn(runtime, [join(import.meta.dirname, "send-parts.child.ts"), server.url, file, state], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function outputOf(client: ChildProcess): Promise<string> {
  let text = "";
  client.stdout?.on("data", (chunk) => {
    text += chunk;
  });
  const [code] = await once(client, "close");
  assert.equal(code, 0);
  return text;
}

/**
 * The most memory that the server had of its own: without the pages of its executable, which are the kernel's to share and drop, and of which
 * more or fewer are mapped as that file happens to be cached.
 */
async function peakOwnBytes({ pid }: TestServer): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const read = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  return read("VmHWM") - read("RssFile");
}

const countStoredParts = (server: TestServer): Promise<number> =>
  withDatabase(server, async (db) => {
    const { count } = await db
      .selectFrom("upload_parts")
      .select((select) => select.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return count;
  });

/** uploads, "Uploads in parts". */
describe("a large upload in six concurrent parts", () => {
  test("resumes in constant memory after the server and the client were killed", {
    skip: longSkipped,
    timeout: 600_000,
  }, async (t) => {
    await using server = await startServer({ env: { FILEHOST_LIMITS: JSON.stringify({ tiers: { anonymous: TIER } }) } });
    const file = join(server.dataDir, "..", "zeros.bin");
    const state = join(server.dataDir, "..", "state.json");
    await using sparse = await open(file, "w");
    await sparse.truncate(SIZE_BYTES);
    const startedAt = performance.now();
    const killed = startClient(server, file, state);
    await until("a third is stored", async () => (await countStoredParts(server)) >= SIZE_BYTES / (3 * 16 * MB), { deadlineMs: 300_000 });
    const peakBefore = await peakOwnBytes(server);
    killed.kill("SIGKILL");
    await server.restart({ signal: "SIGKILL" });
    const storedParts = await countStoredParts(server);
    await assertNothingLostOrLeft(server);
    const sent = JSON.parse(await outputOf(startClient(server, file, state)));
    assert.equal(sent.sentParts + storedParts, Math.ceil(SIZE_BYTES / (16 * MB)), "stored parts were not uploaded again");
    const seconds = (performance.now() - startedAt) / 1000;
    const peak = Math.max(peakBefore, await peakOwnBytes(server));
    t.diagnostic(
      `${SIZE_BYTES / MB} MB in ${seconds.toFixed(1)} s, complete in ${sent.completeMs} ms, server's own memory at most ${Math.round(peak / MB)} MB`,
    );
    assert.ok(peak < MAX_OWN_BYTES, `${peak}`);

    await until("the file's digest is known", async () => (await getShare(server, sent.shortId)).sha256, {
      deadlineMs: 120_000,
    });
    const share = await getShare(server, sent.shortId);
    assert.deepEqual([share.size_bytes, share.scanStatus, share.sha256], [SIZE_BYTES, "clean", sent.sha256]);
    assert.equal(await downloadDigest(server, sent.fileId), sent.sha256);
    assert.equal((await storedFiles(server)).length, 1);
    await assertNothingLostOrLeft(server);
    await rm(file);
  });
});
