import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { startServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { joinSwift, swiftMissing } from "../../support/swift.ts";
import { until } from "../../support/until.ts";
import { addAccount, getMe } from "../support/accounts.ts";
import { clientOf, signedUrl } from "../support/api.ts";
import { killServerAt } from "../support/crash.ts";
import { holdPut } from "../support/held-put.ts";
import { complete, init, listUploadedParts, MB, partUrl, putPart, sha256, someBytes, split } from "../support/multipart.ts";
import { createFileRequest, getRequest, joining, openSubmission, type RequestView, send, tokenOf } from "../support/requests.ts";
import { assertNothingLostOrLeft, cleanUp } from "../support/server-context.ts";
import { type ServerInstances, startServerInstances } from "../support/server-instances.ts";
import { type CallPoint, straceMissing } from "../support/strace.ts";
import { atServer } from "../support/transfers.ts";

type Server = { readonly url: string };

/** The least that stores with the protocol of S3 accept. */
const PART_BYTES = 5 * MB;

/** Asserts that a request counts the files that its owner has, and nothing else; resolves to their IDs. */
async function assertExact(server: Server, key: string, { id }: RequestView): Promise<readonly string[]> {
  const { receivedFiles, receivedBytes, submissions } = await getRequest(server, key, id);
  const files = submissions.flatMap(({ files }) => files);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  assert.deepEqual({ receivedFiles, receivedBytes }, { receivedFiles: files.length, receivedBytes: bytes });
  const { usedBytes, reservedBytes } = (await getMe(server, key)).storage;
  assert.deepEqual({ usedBytes, reservedBytes }, { usedBytes: bytes, reservedBytes: 0 });
  return files.map(({ id }) => id);
}

/** The digest of the bytes that the owner downloads. */
async function ownDigest(server: Server, key: string, fileId: string): Promise<string> {
  const url = await signedUrl(server, fileId, {}, { Authorization: `Bearer ${key}` });
  return sha256(new Uint8Array(await (await fetch(atServer(server, url))).arrayBuffer()));
}

/** requests, "Limits", "Sending files" and "The sender's receipt"; uploads, "Uploads in parts". */
for (const { database, store, skip } of [
  { database: "server", store: "bucket", skip: swiftMissing },
  { database: "file", store: "folder", skip: undefined },
] as const)
  describeUnless(longSkipped ?? skip, `a request whose server instance is killed, with a database ${database} and one ${store}`, () => {
    let servers: ServerInstances;
    before(async () => {
      const swift = store === "bucket" ? await joinSwift() : undefined;
      servers = await startServerInstances({ count: 2, database, swift, env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0" } });
    });
    after(async () => {
      await assertNothingLostOrLeft(servers.instance(1));
      await servers[Symbol.asyncDispose]();
    });

    const signUp = async (): Promise<string> => {
      const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada" };
      return (await clientOf(servers.instance(1)).call("signUp", person)).data.sessionToken;
    };

    test("keeps the received files, continues on the other instance, and releases the reservation of the cut upload", async () => {
      const [killed, other] = [servers.instance(0), servers.instance(1)];
      const key = await signUp();
      const request = await createFileRequest(killed, key, { maxFiles: 4, maxBytes: 16 * MB });
      const requestToken = tokenOf(request);
      const submission = await openSubmission(killed, requestToken, { senderName: "Ada" });
      const fields = joining(requestToken, submission);
      assert.equal((await send(killed, fields)).status, 200);
      const bytes = someBytes(2 * PART_BYTES + 1234);
      const session = await init(killed, { fileSize: bytes.length, partSize: PART_BYTES, ...fields });
      const sendPart = async (server: Server, number: number): Promise<void> => {
        const part = split(bytes, session)[number - 1] ?? new Uint8Array();
        const url = await partUrl(server, session, number, part);
        const { status } = await putPart(url.startsWith("http://files.test") ? atServer(server, url) : url, part);
        assert.equal(status, 200);
      };
      await sendPart(killed, 1);
      const cut = holdPut(`${killed.url}/cut.bin?${new URLSearchParams(fields)}`, someBytes(3 * MB));
      await until("the upload is reserved", async () => (await getRequest(other, key, request.id)).receivedFiles === 3);
      await killed.kill("SIGKILL");
      assert.equal(await cut.refused, 0);

      assert.deepEqual(
        (await listUploadedParts(other, session)).map(({ partNumber, sha256: digest }) => [partNumber, digest]),
        [[1, sha256(bytes.subarray(0, PART_BYTES))]],
      );
      await sendPart(other, 2);
      await sendPart(other, 3);
      const file = await complete(other, session);
      assert.equal(await ownDigest(other, key, file.id), sha256(bytes));
      // The cut upload counts until a cleanup, this one or that of the schedule, finds that its instance has stopped.
      await cleanUp(other);
      assert.equal((await assertExact(other, key, request)).length, 2);
      const more = await Promise.all(Array.from({ length: 4 }, () => send(other, fields)));
      assert.deepEqual(more.map(({ status }) => status).sort(), [200, 200, 413, 413]);
      const receipt = { shortId: submission.shortId, deletionToken: submission.deletionToken };
      assert.equal((await clientOf(other).call("getSubmission", receipt)).data.files.length, 4);
      await assertExact(other, key, request);
      await killed.restart();
    });

    test("loses no confirmed file under load, and receives as many as its limit allows", async () => {
      const [killed, other] = [servers.instance(0), servers.instance(1)];
      const key = await signUp();
      const maxFiles = 50;
      const request = await createFileRequest(other, key, { maxFiles });
      const requestToken = tokenOf(request);
      const confirmed = new Map<string, string>();
      const sendUntilFull = async (worker: number, start: number): Promise<void> => {
        for (let n = start; ; n += 1) {
          const bytes = `the bytes of ${worker}-${n}`;
          const response = await send(servers.instance(worker), { requestToken }, { bytes }).catch(() => undefined);
          if (response?.status === 200) confirmed.set(response.body.data.id, sha256(bytes));
          else if (response?.status === 413) return;
        }
      };
      const sending = [0, 1, 2, 3, 4, 5].map((worker) => sendUntilFull(worker, 0));
      await until("some have arrived", () => confirmed.size >= 12);
      await killed.restart({ signal: "SIGKILL" });
      await Promise.all(sending);
      await cleanUp(other);
      await Promise.all([0, 1, 2].map((worker) => sendUntilFull(worker, 1000)));
      const ids = await assertExact(other, key, request);
      assert.equal(ids.length, maxFiles);
      for (const [id, digest] of confirmed) {
        assert.ok(ids.includes(id), id);
        assert.equal(await ownDigest(other, key, id), digest);
      }
    });
  });

/** requests, "Limits"; storage, "Rows and bytes". */
describeUnless(straceMissing ?? longSkipped, "a server killed while it receives a file of a request", () => {
  test("counts the file exactly if it was stored, whichever step was interrupted", { timeout: 600_000 }, async (t) => {
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
    const { key } = await addAccount(server);
    const request = await createFileRequest(server, key, { maxFiles: 3 });
    const requestToken = tokenOf(request);
    const wal = join(server.dataDir, "filehost.db-wal");
    const points: Record<string, CallPoint> = {
      "before its reservation is durable": { call: "fsync", when: 1, path: wal },
      "in the middle of writing its row": { call: "pwrite64", when: 8, path: wal },
      "before its row is durable": { call: "fsync", when: 2, path: wal },
      "before the response is sent": { call: "sendto", when: 1 },
    };
    for (const [when, point] of Object.entries(points)) {
      await t.test(`the server is killed ${when}`, async () => {
        const count = (await assertExact(server, key, request)).length;
        assert.equal(await killServerAt(server, point, () => send(server, { requestToken })), undefined);
        await assertNothingLostOrLeft(server);
        const isStored = (await assertExact(server, key, request)).length - count;
        assert.equal(isStored, when === "before the response is sent" ? 1 : 0);
      });
    }
    const responses = await Promise.all(Array.from({ length: 5 }, () => send(server, { requestToken })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 413, 413, 413]);
    await assertExact(server, key, request);
  });
});
