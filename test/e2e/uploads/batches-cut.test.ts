import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { formatClamdAddress } from "../../../src/scan/clamd/address.ts";
import { eicarFile } from "../../../src/scan/eicar.ts";
import { longSkipped, stepSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { clamdMissing, joinClamd } from "../../support/services/clamd.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { getShare, type Upload, upload } from "../support/api/api.ts";
import { killServerAt } from "../support/servers/crash.ts";
import { assertNothingLostOrLeft } from "../support/servers/server-context.ts";
import { countStoredState } from "../support/servers/state.ts";
import { type CallPoint, straceMissing } from "../support/servers/strace.ts";
import { manyFiles, postBatch, type SentFile, toBatchForm } from "../support/uploads/batches.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const ENV = { FILEHOST_SCANNER: "off" };

interface Sender {
  readonly server: TestServer;
  readonly owner: Account;
  readonly shipment: Upload;
}

async function startSender(env: Readonly<Record<string, string>> = ENV): Promise<Sender & AsyncDisposable> {
  const server = await startServer({ env });
  const owner = await addAccount(server, { tier: "pro" });
  const shipment = await upload(server, { bytes: "x", fields: { openShare: "true" } }, owner);
  return { server, owner, shipment, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const formOf = ({ shipment }: Sender, files: readonly SentFile[]): Response =>
  new Response(toBatchForm({ shareShortId: shipment.shortId }, files));

/** Sends the first bytes of a batch, and leaves the connection open. */
async function sendStart({ server, owner }: Sender, form: Response, bytes: (form: Buffer) => Buffer): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined);
  const type = form.headers.get("content-type");
  const body = Buffer.from(await form.arrayBuffer());
  const head = ["POST /api/files/batch HTTP/1.1", "Host: x", `Authorization: Bearer ${owner.key}`, `Content-Length: ${body.length}`];
  socket.write(`${head.join("\r\n")}\r\nContent-Type: ${type}\r\n\r\n`);
  socket.write(bytes(body));
  return socket;
}

const half = (form: Buffer): Buffer => form.subarray(0, form.length / 2);

const idsOf = async ({ server, shipment }: Sender): Promise<ReadonlyMap<string | null, string>> =>
  new Map((await getShare(server, shipment.shortId)).files?.map(({ relativePath, id }) => [relativePath, id]));

/** Sends all files, and asserts that each is stored once and those of `before` are unchanged. */
async function sendAgain(sender: Sender, files: readonly SentFile[], before: ReadonlyMap<string | null, string>): Promise<void> {
  const { server, owner, shipment } = sender;
  const { status, body } = await postBatch(server, { shareShortId: shipment.shortId }, files, owner);
  assert.equal(status, 200, JSON.stringify(body));
  for (const { relativePath, id } of body.data.files) if (before.has(relativePath)) assert.equal(id, before.get(relativePath));
  const share = await getShare(server, shipment.shortId);
  assert.equal(share.files?.length, files.length + 1);
  const n = files.length - 1;
  assert.equal(await downloadDigest(server, body.data.files[n]?.id ?? ""), sha256(files[n]?.bytes ?? ""));
}

const assertNoneUnfinished = (server: TestServer): Promise<boolean> =>
  until("no upload is left", async () => {
    const { sessions, reservedBytes, files, stored } = await countStoredState(server);
    return sessions === 0 && reservedBytes === 0 && files === stored.length;
  });

/** uploads, "Many small files"; storage, "Rows and bytes". */
describe("a batch that ends early", () => {
  test("keeps the received files, leaves nothing of the others, and continues when it is sent again", async () => {
    await using sender = await startSender();
    const { server } = sender;
    const files = manyFiles(200);
    const socket = await sendStart(sender, formOf(sender, files), half);
    await until("the files that arrived are stored", async () => (await idsOf(sender)).size > 95);
    socket.destroy();
    await assertNoneUnfinished(server);
    const kept = await idsOf(sender);
    assert.ok(kept.size > 95 && kept.size < 110, `${kept.size}`);
    await assertNothingLostOrLeft(server);
    assert.deepEqual(await idsOf(sender), kept);
    await sendAgain(sender, files, kept);
  });

  test("keeps the files of a form that ends inside a file, and refuses the request", async () => {
    await using sender = await startSender();
    const form = formOf(sender, manyFiles(50));
    const headers = { Authorization: `Bearer ${sender.owner.key}`, "Content-Type": form.headers.get("content-type") ?? "" };
    const bytes: Buffer<ArrayBuffer> = Buffer.from(await form.arrayBuffer());
    const response = await fetch(`${sender.server.url}/api/files/batch`, {
      method: "POST",
      headers,
      body: bytes.subarray(0, bytes.length - 60),
    });
    assert.equal(response.status, 400);
    const paths = [...(await idsOf(sender)).keys()];
    assert.ok(!paths.includes("folder/49.txt"), "the cut file is not stored");
    await assertNoneUnfinished(sender.server);
    await sendAgain(sender, manyFiles(50), new Map());
  });

  test("loses and leaves nothing if the server is killed during the batch", async () => {
    await using sender = await startSender();
    const files = manyFiles(300);
    const socket = await sendStart(sender, formOf(sender, files), half);
    await until("some files are stored", async () => {
      const { files, sessions } = await countStoredState(sender.server);
      return files - sessions > 20;
    });
    await sender.server.kill("SIGKILL");
    socket.destroy();
    await sender.server.restart();
    await assertNothingLostOrLeft(sender.server);
    const kept = await idsOf(sender);
    assert.ok(kept.size > 20);
    await sendAgain(sender, files, kept);
  });

  const points: Readonly<Record<string, CallPoint>> = {
    "before the bytes of a file are durable": { call: "fdatasync", when: 7 },
    "before a file is renamed": { call: "rename", when: 7 },
    "before a commit": { call: "fdatasync", when: 30 },
    "before the response is sent": { call: "sendto", when: 1 },
  };

  test("loses and leaves nothing, whichever step was interrupted", { skip: straceMissing ?? longSkipped, timeout: 300_000 }, async (t) => {
    await using sender = await startSender();
    const { server, owner, shipment } = sender;
    const sent: SentFile[] = [];
    for (const [index, [when, point]] of Object.entries(points).entries()) {
      await t.test(`the server is killed ${when}`, { skip: stepSkipped(index) }, async () => {
        const files = manyFiles(150, index * 1000);
        await killServerAt(server, point, () => postBatch(server, { shareShortId: shipment.shortId }, files, owner));
        await assertNothingLostOrLeft(server);
        const { sessions, reservedBytes } = await countStoredState(server);
        assert.deepEqual({ sessions, reservedBytes }, { sessions: 0, reservedBytes: 0 });
        sent.push(...files);
        const { body } = await postBatch(server, { shareShortId: shipment.shortId }, files, owner);
        assert.ok(body.data.files.every(({ error }) => error === undefined));
        assert.equal((await idsOf(sender)).size, sent.length + 1);
      });
    }
  });

  test("never breaks the server or leaves an unfinished upload if its form is malformed", async () => {
    await using sender = await startSender();
    const { server, owner } = sender;
    const form = formOf(sender, manyFiles(12));
    const type = form.headers.get("content-type") ?? "";
    const bytes: Buffer<ArrayBuffer> = Buffer.from(await form.arrayBuffer());
    let state = 1;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const spoil = [
      (body: Buffer<ArrayBuffer>) => body.subarray(0, random(body.length)),
      (body: Buffer<ArrayBuffer>) => body.subarray(random(body.length)),
      (body: Buffer<ArrayBuffer>) => Buffer.concat([body.subarray(0, random(body.length)), body.subarray(random(body.length))]),
      (body: Buffer<ArrayBuffer>) => Buffer.concat([body, body]),
      (body: Buffer<ArrayBuffer>) => {
        const changed = Buffer.from(body);
        for (let n = 0; n < 8; n += 1) changed[random(changed.length)] = random(256);
        return changed;
      },
      (body: Buffer<ArrayBuffer>) => Buffer.from(body.toString("latin1").replaceAll("\r\n", random(2) === 0 ? "\n" : "\r"), "latin1"),
      (body: Buffer<ArrayBuffer>) =>
        Buffer.from(body.toString("latin1").replaceAll("filename", random(2) === 0 ? "name" : "filename*"), "latin1"),
      (body: Buffer<ArrayBuffer>) => Buffer.from(body.toString("latin1").replace("form-data", "\0".repeat(random(300))), "latin1"),
    ];
    for (let n = 0; n < 160; n += 1) {
      const body = spoil[n % spoil.length]?.(bytes) ?? bytes;
      const headers = { Authorization: `Bearer ${owner.key}`, "Content-Type": type };
      const response = await fetch(`${server.url}/api/files/batch`, { method: "POST", headers, body });
      const text = await response.text();
      assert.ok([200, 400, 404, 413].includes(response.status), `${n}: ${response.status} ${text}`);
    }
    await assertNoneUnfinished(server);
    await assertNothingLostOrLeft(server);
    assert.deepEqual(
      server.logs().filter(({ level }) => Number(level) >= 50),
      [],
    );
  });
});

/** scanning, "The scan". */
test("each file of a batch is scanned", { skip: clamdMissing }, async () => {
  const clamd = await joinClamd();
  await using sender = await startSender({ FILEHOST_CLAMD: formatClamdAddress(clamd.unix) });
  const { server, owner, shipment } = sender;
  const { body } = await postBatch(
    server,
    { shareShortId: shipment.shortId },
    [...manyFiles(20), { relativePath: "eicar.txt", bytes: new Uint8Array(eicarFile()) }],
    owner,
  );
  assert.ok(body.data.files.every(({ scanStatus }) => scanStatus === "pending"));
  const scanned = await until("all are scanned", async () => {
    const files = (await getShare(server, shipment.shortId)).files ?? [];
    return files.every(({ scanStatus }) => scanStatus === "clean" || scanStatus === "unavailable") ? files : undefined;
  });
  assert.deepEqual(
    scanned.flatMap(({ scanStatus, relativePath }) => (scanStatus === "clean" ? [] : relativePath)),
    ["eicar.txt"],
  );
});

const peakOf = ({ pid }: TestServer): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? assert.fail()) * 1024;

/** request limits, "Bodies in memory". */
test("four batches of 64 MB at the same time use bounded memory", async () => {
  await using sender = await startSender();
  const { server, owner, shipment } = sender;
  const send = async (seed: number): Promise<void> => {
    const files = Array.from({ length: 16 }, (_, n) => {
      const bytes = someBytes(4 * MB - 100, seed * 100 + n);
      return { relativePath: `${seed}/${n}.bin`, sha256: sha256(bytes), bytes };
    });
    const { status, body } = await postBatch(server, { shareShortId: shipment.shortId }, files, owner);
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(body.data.files.every(({ error }) => error === undefined));
  };
  await send(0);
  const before = peakOf(server);
  await Promise.all([1, 2, 3, 4].map(send));
  const grown = peakOf(server) - before;
  assert.ok(grown < 160 * MB, `${Math.round(grown / MB)} MB`);
});
