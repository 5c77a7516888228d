import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../support/server.ts";
import { upload } from "./support/api.ts";
import { findFile } from "./support/inside.ts";
import { init, MB, partUrl, postComplete, putPart, someBytes, split } from "./support/multipart.ts";
import { storedFiles } from "./support/state.ts";
import { straceMissing, type TracedCall, traceCalls } from "./support/strace.ts";
import { putFile } from "./support/transfers.ts";

const CALLS = ["fsync", "fdatasync", "rename", "renameat2", "write", "pwrite64", "writev", "sendto", "sendmsg"];

/** What must be on the disk before an answer may leave: nothing of it depends on the machine staying up. */
interface Order {
  /** Where the data is while it is under way; its last write has a flush after it. */
  readonly data: string;
  /** The bytes came with earlier requests: this one only makes sure of them. */
  readonly writtenBefore?: boolean;
  /** The blob's own place, where the upload is whole; its folders are flushed after the rename. */
  readonly place?: string;
  readonly dataDir: string;
}

const flushes = (call: TracedCall, path: string): boolean =>
  (call.name === "fsync" || call.name === "fdatasync") && call.text.includes(`<${path}>`);
const writes = (call: TracedCall, path: string): boolean => /^p?write/.test(call.name) && call.text.includes(`<${path}>`);

/** Asserts the order of an answer: data, its folders, the database's log; then, and only then, the first byte of the answer. */
function assertDurableBeforeAnswer(calls: readonly TracedCall[], { data, writtenBefore, place, dataDir }: Order): void {
  const answer = calls.find((call) => /^(sendto|sendmsg|writev|write)$/.test(call.name) && call.text.includes('"HTTP/1.1 200'));
  assert.ok(answer, "the answer is in the trace");
  const earlier = calls.filter((call) => call.start < answer.start);
  const last = (what: string, matches: (call: TracedCall) => boolean): TracedCall => {
    const found = earlier.filter(matches).at(-1);
    assert.ok(found, `${what} comes before the answer`);
    return found;
  };
  const isAfter = (later: TracedCall, sooner: TracedCall, what: string): void => assert.ok(later.start > sooner.end, what);

  const flushed = last("the data's flush", (call) => flushes(call, data));
  if (!writtenBefore)
    isAfter(
      flushed,
      last("the data's write", (call) => writes(call, data)),
      "the data is flushed after its last write",
    );
  const log = join(dataDir, "filehost.db-wal");
  const logged = last("the database's write", (call) => writes(call, log));
  const committed = last("the database's flush", (call) => flushes(call, log));
  isAfter(committed, logged, "the database is flushed after its last write");
  assert.ok(committed.end < answer.start, "the database's flush has ended when the answer is sent");
  if (place === undefined) {
    isAfter(logged, flushed, "the row says that the bytes exist after they do");
    return;
  }
  const renamed = last("the rename", (call) => call.name.startsWith("rename") && call.text.includes(place));
  isAfter(renamed, flushed, "the bytes get their place after they are durable");
  const leaf = join(place, "..");
  for (const folder of [leaf, join(leaf, ".."), join(dataDir, "blobs")]) {
    const kept = last(`the flush of ${folder}`, (call) => flushes(call, folder));
    isAfter(kept, renamed, "a folder is flushed after the rename");
    isAfter(logged, kept, "the row says that the bytes exist after their folder does");
  }
}

/** decisions, "Uploads". */
describe("what is answered 200 survives a power cut: the order of its system calls", { skip: straceMissing }, () => {
  let server: TestServer;

  before(async () => {
    server = await startServer();
  });

  after(() => server[Symbol.asyncDispose]());

  /** Traces `act`, and holds its order against the file that it made. */
  async function assertOrderOf(act: () => Promise<{ readonly id: string }>, options: { writtenBefore?: boolean } = {}): Promise<void> {
    await using trace = await traceCalls(server.pid, CALLS);
    const { id } = await act();
    const calls = await trace.stop();
    const key = (await findFile(server, id))?.blob_key ?? "";
    const { dataDir } = server;
    const place = join(dataDir, "blobs", key.slice(0, 2), key.slice(2, 4), key);
    assertDurableBeforeAnswer(calls, { dataDir, data: join(dataDir, "staging", key), place, ...options });
  }

  test("a direct upload", async () => {
    await assertOrderOf(() => putFile(server, "/whole.bin", someBytes(3 * MB + 17, 1)));
  });

  test("a small form upload", async () => {
    await assertOrderOf(() => upload(server, { name: "small.txt", bytes: "a few bytes" }));
  });

  test("a part, and the folder that holds the upload", async () => {
    const bytes = someBytes(2 * MB, 2);
    await using begun = await traceCalls(server.pid, CALLS);
    const session = await init(server, { fileSize: bytes.length, partSize: MB });
    const atInit = await begun.stop();
    const folder = atInit.findIndex((call) => flushes(call, join(server.dataDir, "staging")));
    assert.ok(folder >= 0 && folder < atInit.findIndex((call) => call.text.includes('"HTTP/1.1 200')));
    const [part = bytes] = split(bytes, session);
    const url = await partUrl(server, session, 1, part);
    await using trace = await traceCalls(server.pid, CALLS);
    assert.equal((await putPart(url, part)).status, 200);
    const calls = await trace.stop();
    const [staged = ""] = (await storedFiles(server)).filter((path) => path.startsWith("staging/"));
    assertDurableBeforeAnswer(calls, { dataDir: server.dataDir, data: join(server.dataDir, staged) });
  });

  test("complete", async () => {
    const bytes = someBytes(2 * MB, 3);
    const session = await init(server, { fileSize: bytes.length, partSize: MB });
    for (const [index, part] of split(bytes, session).entries()) {
      assert.equal((await putPart(await partUrl(server, session, index + 1, part), part)).status, 200);
    }
    await assertOrderOf(async () => (await postComplete(server, session)).body.data, { writtenBefore: true });
  });
});
