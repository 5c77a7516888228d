import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, open, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { after, before, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { startServer, type TestServer, toCommand } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api/api.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";

const MB = 1024 ** 2;
/** `FILE_MB=64` runs it with a smaller file. */
const SIZE_BYTES = Number(process.env.FILE_MB ?? 5120) * MB;
const MARKED_BYTES = 32 * MB;
/** A busy disk takes minutes for such a file. */
const TIMEOUT_MS = 600_000;
/** The executable itself takes 100 MB of it. */
const MAX_PEAK_BYTES = 150 * MB;
const SAMPLE_MS = 20;
const TIER = { fileBytes: 64 * 1024 ** 3, storageBytes: 64 * 1024 ** 3 };

/** client up and client down, of a file that is much larger than the memory they may use. */
describeUnless(longSkipped, "the client with a file of 5 GB", () => {
  let server: TestServer;
  let device: ClientDevice;
  let source = "";
  let digest = "";
  before(async () => {
    server = await startServer({
      env: { FILEHOST_SCANNER: "off", FILEHOST_LIMITS: JSON.stringify({ tiers: { anonymous: TIER } }) },
    });
    device = await makeDevice({ FILEHOST_SERVER: server.url });
    source = join(device.path, "source.bin");
    await writeSparseFile(source);
    digest = await digestOf(source);
  });
  after(async () => {
    await device?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Runs a command of the client to its end. Resolves to what it printed and its largest resident memory. */
  async function measure(args: readonly string[], input?: string): Promise<{ readonly stdout: string; readonly peakBytes: number }> {
    const [command = "", ...prefix] = toCommand("binary");
    const child = spawn(command, [...prefix, ...args, "--quiet"], { cwd: device.path, env: { ...device.env } });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk) => {
      output.stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output.stderr += chunk;
    });
    const ended = new Promise<number | null>((resolve, reject) => child.once("error", reject).once("close", resolve));
    let peakBytes = 0;
    // The peak only grows, so that late readings are enough.
    const sampling = setInterval(() => {
      readFile(`/proc/${child.pid}/status`, "utf8").then(
        (status) => {
          peakBytes = Math.max(peakBytes, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024);
        },
        () => undefined,
      );
    }, SAMPLE_MS);
    try {
      if (input === undefined) child.stdin.end();
      else await pipeline(createReadStream(input, { highWaterMark: 256 * 1024 }), child.stdin);
      assert.equal(await ended, 0, output.stderr);
    } finally {
      clearInterval(sampling);
    }
    assert.ok(peakBytes > 0);
    return { stdout: output.stdout.trim(), peakBytes };
  }

  /** client up, "The link"; client down, "Where files are saved". */
  test("uploads and downloads it in less than 150 MB of memory", { timeout: TIMEOUT_MS }, async (t) => {
    const sent = await measure(["up", source]);
    const target = join(device.path, "saved.bin");
    const fetched = await measure(["down", sent.stdout, "--output", target]);
    t.diagnostic(`peaks of ${SIZE_BYTES / MB} MB: ${sent.peakBytes / MB} MB to send, ${fetched.peakBytes / MB} MB to fetch`);
    assert.equal(await digestOf(target), digest);
    assert.ok(sent.peakBytes < MAX_PEAK_BYTES, `${sent.peakBytes / MB} MB`);
    assert.ok(fetched.peakBytes < MAX_PEAK_BYTES, `${fetched.peakBytes / MB} MB`);
    await measure(["rm", "--yes", sent.stdout]);
  });

  /** encryption, "Sending" and "Fetching": what is encrypted twice, for its digest and for sending, is a part of it, because that takes long. */
  test("is encrypted and decrypted in less than 150 MB of memory", { timeout: TIMEOUT_MS }, async (t) => {
    const part = join(device.path, "part.bin");
    await copyFile(source, part);
    await truncate(part, Math.min(SIZE_BYTES, 1024 * MB));
    const sent = await measure(["up", part, "--encrypt"]);
    const target = join(device.path, "decrypted.bin");
    const fetched = await measure(["down", sent.stdout, "--output", target]);
    t.diagnostic(`peaks: ${sent.peakBytes / MB} MB to send, ${fetched.peakBytes / MB} MB to fetch`);
    assert.equal(await digestOf(target), await digestOf(part));
    assert.ok(sent.peakBytes < MAX_PEAK_BYTES, `${sent.peakBytes / MB} MB`);
    assert.ok(fetched.peakBytes < MAX_PEAK_BYTES, `${fetched.peakBytes / MB} MB`);
  });

  /** client up, "Standard input". */
  test("uploads it from standard input in less than 150 MB of memory", { timeout: TIMEOUT_MS }, async (t) => {
    const sent = await measure(["up", "-", "--name", "input.bin"], source);
    t.diagnostic(`peak of ${SIZE_BYTES / MB} MB: ${sent.peakBytes / MB} MB`);
    assert.ok(sent.peakBytes < MAX_PEAK_BYTES, `${sent.peakBytes / MB} MB`);
    const shortId = sent.stdout.slice(sent.stdout.lastIndexOf("/") + 1);
    await until("the server has computed the digest", async () => (await getShare(server, shortId)).sha256 !== null, {
      deadlineMs: 300_000,
    });
    assert.equal((await getShare(server, shortId)).sha256, digest);
  });
});

/** A file that takes little space, with other bytes in each part. */
async function writeSparseFile(path: string): Promise<void> {
  await using file = await open(path, "wx");
  await file.truncate(SIZE_BYTES);
  for (let position = 0; position < SIZE_BYTES; position += MARKED_BYTES) await file.write(`${position} of ${SIZE_BYTES}`, position);
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: MB })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
