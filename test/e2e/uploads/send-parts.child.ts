/**
 * A client for tests: sends a file in parts, six concurrently, and saves the session in a file, so that a later run continues.
 *
 *     send-parts.child.ts SERVER FILE STATE   → {"fileId", "shortId", "sha256", "sentParts", "completeMs"}
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { open, readFile, rename, stat, writeFile } from "node:fs/promises";
import { complete, init, listUploadedParts, partUrl, putPart, type Session } from "../support/uploads/multipart.ts";
import { atServer } from "../support/uploads/transfers.ts";

const CONCURRENCY = 6;

async function main([url = "", path = "", state = ""]: readonly string[]): Promise<void> {
  const server = { url };
  const { size } = await stat(path);
  const session = await loadSession(server, state, size);
  const stored = new Set((await listUploadedParts(server, session)).map(({ partNumber }) => partNumber));
  const missing = Array.from({ length: session.totalParts }, (_, index) => index + 1).filter((number) => !stored.has(number));
  await using file = await open(path);
  const read = async (number: number): Promise<Uint8Array<ArrayBuffer>> => {
    const offset = (number - 1) * session.chunkSize;
    const bytes = new Uint8Array(Math.min(session.chunkSize, size - offset));
    await file.read(bytes, 0, bytes.length, offset);
    return bytes;
  };
  const queue = missing.values();
  const send = async (): Promise<void> => {
    for (const number of queue) {
      const bytes = await read(number);
      const { status, body } = await putPart(atServer(server, await partUrl(server, session, number, bytes)), bytes);
      assert.equal(status, 200, JSON.stringify(body));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, send));
  const hash = createHash("sha256");
  for (let number = 1; number <= session.totalParts; number++) hash.update(await read(number));
  const startedAt = performance.now();
  const { id: fileId, shortId } = await complete(server, session);
  const completeMs = Math.round(performance.now() - startedAt);
  process.stdout.write(JSON.stringify({ fileId, shortId, sha256: hash.digest("hex"), sentParts: missing.length, completeMs }));
}

async function loadSession(server: { url: string }, state: string, fileSize: number): Promise<Session> {
  const saved = await readFile(state, "utf8").catch(() => undefined);
  if (saved !== undefined) return JSON.parse(saved);
  const session = await init(server, { fileSize });
  await writeFile(`${state}.new`, JSON.stringify(session));
  await rename(`${state}.new`, state);
  return session;
}

await main(process.argv.slice(2));
