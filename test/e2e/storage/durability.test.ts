import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { upload } from "../support/api/api.ts";
import { findFile } from "../support/servers/server-context.ts";
import { storedFiles } from "../support/servers/state.ts";
import { straceMissing, type TracedCall, traceCalls } from "../support/servers/strace.ts";
import { complete, init, MB, partUrl, putPart, someBytes, split } from "../support/uploads/multipart.ts";
import { putFile } from "../support/uploads/transfers.ts";

const CALLS = ["fsync", "fdatasync", "rename", "renameat2", "write", "pwrite64", "writev", "sendto", "sendmsg"];

/** The files that must be durable before a response is sent. */
interface Order {
  /** The staged file; a flush must follow its last write. */
  readonly data: string;
  /** Whether earlier requests wrote the bytes, so that this one only flushes them. */
  readonly writtenBefore?: boolean;
  /** The blob's path, for a completed upload; its folders must be flushed after the rename. */
  readonly blob?: string;
  readonly dataDir: string;
}

const flushes = (call: TracedCall, path: string): boolean =>
  (call.name === "fsync" || call.name === "fdatasync") && call.text.includes(`<${path}>`);
const writes = (call: TracedCall, path: string): boolean => /^p?write/.test(call.name) && call.text.includes(`<${path}>`);

/** Asserts that the data, its folders and the database's log are flushed, in this order, before the first byte of the response. */
function assertDurableBeforeResponse(calls: readonly TracedCall[], { data, writtenBefore, blob, dataDir }: Order): void {
  const response = calls.find((call) => /^(sendto|sendmsg|writev|write)$/.test(call.name) && call.text.includes('"HTTP/1.1 200'));
  assert.ok(response, "the response is in the trace");
  const earlier = calls.filter((call) => call.start < response.start);
  const last = (what: string, matches: (call: TracedCall) => boolean): TracedCall => {
    const found = earlier.filter(matches).at(-1);
    assert.ok(found, `${what} precedes the response`);
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
  assert.ok(committed.end < response.start, "the database's flush has ended when the response is sent");
  if (blob === undefined) {
    isAfter(logged, flushed, "the row is written after the bytes are durable");
    return;
  }
  const renamed = last("the rename", (call) => call.name.startsWith("rename") && call.text.includes(blob));
  isAfter(renamed, flushed, "the bytes are renamed after they are durable");
  const leaf = join(blob, "..");
  for (const folder of [leaf, join(leaf, ".."), join(dataDir, "blobs")]) {
    const folderFlushed = last(`the flush of ${folder}`, (call) => flushes(call, folder));
    isAfter(folderFlushed, renamed, "a folder is flushed after the rename");
    isAfter(logged, folderFlushed, "the row is written after the folder is durable");
  }
}

/** uploads, "Uploads". */
describeUnless(straceMissing, "a server that has responded 200", () => {
  let server: TestServer;

  before(async () => {
    server = await startServer();
  });

  after(() => server[Symbol.asyncDispose]());

  /** Traces the system calls of `act` and asserts the order for the file that it makes. */
  async function assertOrderOf(act: () => Promise<{ readonly id: string }>, options: { writtenBefore?: boolean } = {}): Promise<void> {
    await using trace = await traceCalls(server.pid, CALLS);
    const { id } = await act();
    const calls = await trace.stop();
    const key = (await findFile(server, id))?.blob_key ?? "";
    const { dataDir } = server;
    const blob = join(dataDir, "blobs", key.slice(0, 2), key.slice(2, 4), key);
    assertDurableBeforeResponse(calls, { dataDir, data: join(dataDir, "staging", key), blob, ...options });
  }

  test("has flushed the bytes, folders and row of a direct upload", async () => {
    await assertOrderOf(() => putFile(server, "/whole.bin", someBytes(3 * MB + 17, 1)));
  });

  test("has flushed the bytes, folders and row of a small form upload", async () => {
    await assertOrderOf(() => upload(server, { name: "small.txt", bytes: "a few bytes" }));
  });

  test("has flushed the staging folder of an upload session, and the bytes and row of a part", async () => {
    const bytes = someBytes(2 * MB, 2);
    await using initTrace = await traceCalls(server.pid, CALLS);
    const session = await init(server, { fileSize: bytes.length, partSize: MB });
    const atInit = await initTrace.stop();
    const folder = atInit.findIndex((call) => flushes(call, join(server.dataDir, "staging")));
    assert.ok(folder >= 0 && folder < atInit.findIndex((call) => call.text.includes('"HTTP/1.1 200')));
    const [part = bytes] = split(bytes, session);
    const url = await partUrl(server, session, 1, part);
    await using trace = await traceCalls(server.pid, CALLS);
    assert.equal((await putPart(url, part)).status, 200);
    const calls = await trace.stop();
    const [staged = ""] = (await storedFiles(server)).filter((path) => path.startsWith("staging/"));
    assertDurableBeforeResponse(calls, { dataDir: server.dataDir, data: join(server.dataDir, staged) });
  });

  test("has flushed the bytes, folders and row of a completed upload", async () => {
    const bytes = someBytes(2 * MB, 3);
    const session = await init(server, { fileSize: bytes.length, partSize: MB });
    for (const [index, part] of split(bytes, session).entries()) {
      assert.equal((await putPart(await partUrl(server, session, index + 1, part), part)).status, 200);
    }
    await assertOrderOf(async () => await complete(server, session), { writtenBefore: true });
  });
});
