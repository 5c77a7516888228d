import assert from "node:assert/strict";
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { RESERVATION_IDLE_TIMEOUT_MS } from "../../../src/blobs/disk/space.ts";
import { mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import type { TestServer } from "../../support/server.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { type ApiResponse, assertRefused, call, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { type HeldPut, holdPut } from "../support/uploads/held-put.ts";
import { abort, complete, init, MB, partUrl, postInit, putPart, type Session, sendParts, someBytes } from "../support/uploads/multipart.ts";

const refusal = await whyNoDisk();
const DISK_BYTES = 400 * MB;
const MIN_FREE_BYTES = 32 * MB;

const at = (address: string) => ({ headers: fromAddress(address) });
const subnet = (network: string, n: number) => at(`2001:db8:${network}:${n.toString(16)}::1`);
const otherAddress = at("198.51.100.7");

/** disk space, "What is reserved", "Idle uploads" and "Limits of groups"; uploads, "A part that is sent again". */
describeUnless(refusal, "the free space of the server's disk", () => {
  let dataDir: string;
  let server: TestServer;
  beforeEach(async () => {
    dataDir = await mountDisk(DISK_BYTES);
    server = await startPlainServer({
      FILEHOST_DATA: dataDir,
      FILEHOST_MIN_FREE: `${MIN_FREE_BYTES}B`,
      FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
      FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
    });
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
    await unmountDisk(dataDir);
  });

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize;
  }

  /** The disk usage of the staging folder, in bytes. */
  async function stagedBytes(): Promise<number> {
    const entries = await readdir(join(dataDir, "staging"), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).blocks * 512));
    return sizes.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Creates upload sessions from one /48, each from another /64, until even 1 MB is refused. */
  async function reserveAll(network: string): Promise<{ readonly sessions: readonly Session[]; readonly refused: ApiResponse }> {
    const sessions: Session[] = [];
    let refused: ApiResponse | undefined;
    for (const sizeBytes of [64, 32, 16, 8, 4, 2, 1].map((size) => size * MB)) {
      for (;;) {
        const response = await postInit(server, { fileName: "a", fileSize: sizeBytes, partSize: MB }, subnet(network, sessions.length));
        if (response.status === 200) sessions.push(response.body.data);
        else {
          refused = response;
          break;
        }
      }
    }
    assert.ok(refused);
    return { sessions, refused };
  }

  /** Moves the last activity of every upload session `ms` into the past. */
  async function age(ms: number): Promise<void> {
    await withDatabase({ dataDir }, (db) =>
      db
        .updateTable("upload_sessions")
        .set((update) => ({ last_byte_at: update("last_byte_at", "-", ms) }))
        .execute(),
    );
  }

  test("remains for other callers when one network reserves space without sending bytes", async () => {
    const { sessions, refused } = await reserveAll("1");
    assertRefused(refused, { status: 507, code: "STORAGE_FULL" });
    assert.match(refused.body.error ?? "", /complete or abort/i);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    const reserved = sessions.length;
    assert.ok(reserved >= 1);
    await upload(server, { bytes: someBytes(2 * MB) }, otherAddress);
    await init(server, { fileName: "a", fileSize: 32 * MB }, otherAddress);

    for (const network of ["2", "3", "4", "5"]) await reserveAll(network);
    await upload(server, { bytes: someBytes(2 * MB) }, at("198.51.100.8"));
    const { key } = await addAccount({ dataDir });
    await init(server, { fileName: "a", fileSize: 64 * MB }, { key });
  });

  test("is limited for direct uploads by the reservations of the same network, with and without a size", async () => {
    await reserveAll("1");
    const curl = { ...subnet("1", 999).headers, Accept: "application/json" };
    const sized = await call(server, "PUT", "/a.bin", { body: someBytes(2 * MB), headers: curl });
    assertRefused(sized, { status: 507, code: "STORAGE_FULL" });
    const body = new Blob([someBytes(2 * MB)]).stream();
    const unsized = await call(server, "PUT", "/b.bin", { body, headers: curl });
    assertRefused(unsized, { status: 507, code: "STORAGE_FULL" });
    await upload(server, { bytes: someBytes(2 * MB) }, otherAddress);
  });

  test("is limited for imports by the reservations of the same network", async () => {
    await reserveAll("1");
    await using origin = await startOrigin({ "/a.bin": sendFile({ bytes: someBytes(2 * MB) }) });
    const json = { url: `${origin.url}/a.bin` };
    const refused = await call(server, "POST", "/api/files/remote-upload", { json, ...subnet("1", 999) });
    assertRefused(refused, { status: 507, code: "STORAGE_FULL" });
    assert.equal((await call(server, "POST", "/api/files/remote-upload", { json, ...otherAddress })).status, 200);
  });

  for (const restarted of [false, true]) {
    test(`is released by an upload that was idle for ten minutes, and reserved again by its next part${restarted ? ", also after a restart" : ""}`, async () => {
      const { sessions } = await reserveAll("1");
      const [idle] = sessions;
      assert.ok(idle);
      const part = someBytes(MB);
      const url = new URL(await partUrl(server, idle, 1, part));
      assert.equal((await postInit(server, { fileName: "a", fileSize: 16 * MB }, subnet("1", 999))).status, 507);
      await age(RESERVATION_IDLE_TIMEOUT_MS);
      if (restarted) await server.restart();
      const now = await reserveAll("1");
      assert.ok(now.sessions.length >= 1);
      const send = () => putPart(`${server.url}${url.pathname}${url.search}`, part);
      const full = await send();
      assertRefused(full, { status: 507, code: "STORAGE_FULL" });
      assert.ok(full.headers.get("retry-after"));
      for (const session of now.sessions) await abort(server, session);
      assert.equal((await send()).status, 200);
      await upload(server, { bytes: someBytes(2 * MB) }, otherAddress);
    });
  }

  test("is not used by thirty repeated transfers of a stored part, which get the first response", async () => {
    const bytes = someBytes(24 * MB);
    const session = await init(server, { fileSize: bytes.length, partSize: 24 * MB }, at("198.51.100.1"));
    const url = await partUrl(server, session, 1, bytes);
    const first = await putPart(url, bytes);
    assert.equal(first.status, 200);
    const before = await stagedBytes();
    const again = Array.from({ length: 30 }, () => holdPut(url, bytes));
    await Promise.all(again.map(({ sent }) => sent));
    assert.equal(await stagedBytes(), before);
    assert.ok((await freeBytes()) > MIN_FREE_BYTES);
    await upload(server, { bytes: someBytes(2 * MB) }, otherAddress);
    for (const response of await Promise.all(again.map((put) => put.finish()))) {
      assert.equal(response.status, 200, response.text);
      assert.ok(response.text.includes(first.headers.get("etag") ?? "none"));
    }
    assert.equal(await stagedBytes(), before);
    await complete(server, session);
  });

  test("stays above the minimum during thirty transfers that replace a stored part", async () => {
    const bytes = someBytes(32 * MB);
    const session = await init(server, { fileSize: bytes.length, partSize: 32 * MB }, at("198.51.100.1"));
    await sendParts(server, session, bytes);
    const other = someBytes(bytes.length, 2);
    const url = await partUrl(server, session, 1, other);
    const again = Array.from({ length: 30 }, () => holdPut(url, other));
    await Promise.all(again.map(({ sent, refused }) => Promise.race([sent, refused])));
    assert.ok((await freeBytes()) > MIN_FREE_BYTES, `${await freeBytes()} bytes are left`);
    await upload(server, { bytes: someBytes(2 * MB) }, otherAddress);
    const responses = await Promise.all(again.map((put) => put.finish()));
    // On a busy machine every one may be refused: the newest stops the others, and may itself find their space not free yet. Of one that is
    // stopped with bytes on their way, the network may drop the response (0).
    for (const { status, text } of responses) assert.ok([0, 200, 409, 507].includes(status), `${status} ${text}`);
    assert.equal((await putPart(url, other)).status, 200, "their space is free again");
    await complete(server, session);
  });
});

/** disk space, "Simultaneous transfers". */
describe("the limit of concurrent transfers", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer({ FILEHOST_MIN_FREE: "0", FILEHOST_TRUSTED_PROXIES: "127.0.0.1" });
  });
  after(() => server[Symbol.asyncDispose]());

  const part = someBytes(MB);

  /** Opens one incomplete PUT for each of `count` parts, from number `from` on. */
  async function holdParts(session: Session, from: number, count: number): Promise<HeldPut[]> {
    return await Promise.all(
      Array.from({ length: count }, async (_, i) => holdPut(await partUrl(server, session, from + i, part), part.subarray(0, MB))),
    );
  }

  const initFrom = (address: string): Promise<Session> => init(server, { fileSize: 40 * MB, partSize: MB }, at(address));
  const send = async (session: Session, partNumber: number) => putPart(await partUrl(server, session, partNumber, part), part);

  function assertTooMany(response: ApiResponse): void {
    assertRefused(response, { status: 429, code: "TOO_MANY_UPLOADS" });
    assert.ok(Number(response.headers.get("retry-after")) > 0);
  }

  /** Waits until all but `left` PUTs are refused; resolves to those that stay open. */
  async function untilLeft(held: readonly HeldPut[], left: number): Promise<readonly HeldPut[]> {
    const refused = new Map<HeldPut, number>();
    for (const put of held) void put.refused.then((status) => refused.set(put, status));
    await until("the PUTs above the limit are refused", () => refused.size === held.length - left);
    assert.deepEqual([...new Set(refused.values())], [429]);
    return held.filter((put) => !refused.has(put));
  }

  test("is 32 parts of one upload, and frees a slot when a part ends", async () => {
    const session = await initFrom("203.0.113.1");
    const open = await untilLeft(await holdParts(session, 1, 36), 32);
    assertTooMany(await send(session, 40));
    assert.equal((await send(await initFrom("203.0.113.1"), 1)).status, 200);
    assert.equal((await open[0]?.finish())?.status, 200);
    await until("another part is accepted", async () => (await send(session, 40)).status === 200);
    const responses = await Promise.all(open.slice(1).map((put) => put.finish()));
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
  });

  test("is 128 transfers of one caller of any kind, and does not delay others", async () => {
    const address = "203.0.113.2";
    const sessions = await Promise.all(Array.from({ length: 5 }, () => initFrom(address)));
    const open = await untilLeft((await Promise.all(sessions.map((session) => holdParts(session, 1, 30)))).flat(), 128);
    const put = (headers: Record<string, string>) =>
      call(server, "PUT", "/a.bin", { body: part, headers: { ...headers, Accept: "application/json" } });
    assertTooMany(await put(fromAddress(address)));
    const [last] = sessions;
    assert.ok(last);
    assertTooMany(await send(last, 40));
    assert.equal((await put(fromAddress("203.0.113.3"))).status, 200);
    await upload(server, { bytes: "small" }, at("203.0.113.3"));
    for (const each of open) each.cut();
    await until("the closed transfers have ended", async () => (await send(last, 40)).status === 200);
  });

  test("does not block a new transfer of a part while older ones stall", async () => {
    const session = await initFrom("203.0.113.4");
    const url = await partUrl(server, session, 1, part);
    const stalled: HeldPut[] = [];
    for (let i = 0; i < 4; i += 1) {
      const put = holdPut(url, part);
      stalled.push(put);
      await put.sent;
    }
    assert.equal((await putPart(url, part)).status, 200);
    for (const put of stalled) put.cut();
  });
});
