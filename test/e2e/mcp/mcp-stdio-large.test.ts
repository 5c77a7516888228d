import assert from "node:assert/strict";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeFolder } from "../../support/folder.ts";
import { longSkipped } from "../../support/long.ts";
import { startServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { callTool } from "../support/api/mcp.ts";
import { connectStdio, type StdioClient } from "../support/api/mcp-stdio.ts";

const MB = 1024 ** 2;
/** `FILE_MB=5120` runs it with a larger file, which is sparse. */
const SIZE_BYTES = Number(process.env.FILE_MB ?? 1024) * MB;
const TIER = { fileBytes: 64 * 1024 ** 3, storageBytes: 64 * 1024 ** 3 };

/** The executable itself occupies about 100 MB of it. */
const MAX_PEAK_BYTES = 150 * MB;

async function peakBytes({ pid }: StdioClient): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? assert.fail(status)) * 1024;
}

/** mcp, "Files of your machine" and "Downloads to your machine". */
describe("filehost mcp with a large file", () => {
  test("uploads and saves it in constant memory", { skip: longSkipped, timeout: 900_000 }, async (t) => {
    await using dir = await makeFolder();
    await using server = await startServer({
      env: { FILEHOST_SCANNER: "off", FILEHOST_LIMITS: JSON.stringify({ tiers: { anonymous: TIER, free: TIER } }) },
    });
    const path = join(dir.path, "zeros.bin");
    await using sparse = await open(path, "w");
    await sparse.truncate(SIZE_BYTES);
    const options = { era: "a session", args: ["--allow", dir.path], env: { XDG_STATE_HOME: join(dir.path, "state") } } as const;
    const started = performance.now();
    await using sender = await connectStdio(server, options);
    const sent = await callTool(sender, "upload", { path }, { timeout: 600_000 });
    assert.equal(sent.data.size, SIZE_BYTES, sent.text);
    const sentAt = performance.now();
    await using receiver = await connectStdio(server, { ...options, key: (await addAccount(server)).key });
    const target = join(dir.path, "saved.bin");
    const saved = await callTool(receiver, "get_download_url", { fileId: sent.data.id, path: target }, { timeout: 600_000 });
    assert.equal(saved.data.size, SIZE_BYTES, saved.text);
    assert.equal((await stat(target)).size, SIZE_BYTES);
    const [sending, receiving] = [await peakBytes(sender), await peakBytes(receiver)];
    const seconds = [sentAt - started, performance.now() - sentAt].map((ms) => (ms / 1000).toFixed(1));
    t.diagnostic(
      `${SIZE_BYTES / MB} MB: sent in ${seconds[0]} s, saved in ${seconds[1]} s, peaks ${sending / MB} MB and ${receiving / MB} MB`,
    );
    assert.ok(sending < MAX_PEAK_BYTES, `${sending / MB} MB`);
    assert.ok(receiving < MAX_PEAK_BYTES, `${receiving / MB} MB`);
  });
});
