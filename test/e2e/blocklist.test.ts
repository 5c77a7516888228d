import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sendFile, startOrigin } from "../support/origin-server.ts";
import { joinSwift, swiftMissing } from "../support/swift.ts";
import { until } from "../support/until.ts";
import { type ServerWith, withAccounts } from "./support/accounts.ts";
import { assertRefused, authorize, call, clientOf, getShare, signedUrl, type Upload, upload } from "./support/api.ts";
import { postBatch } from "./support/batches.ts";
import { delegationCalls } from "./support/delegations.ts";
import { createImport, waitForEnd } from "./support/imports.ts";
import { complete, init, MB, postComplete, sendParts, sha256, someBytes, uploadInParts } from "./support/multipart.ts";
import { startPlainServer } from "./support/plain-server.ts";
import { sendPlain, startOnS3, waitForPresignedParts } from "./support/s3.ts";
import { withDatabase } from "./support/state.ts";

const BLOCKED = "what nobody may share";

type Server = ServerWith<"owner">;

/** scanning, "The blocklist"; expiry, "Takedown". */
describe("the blocklist", () => {
  let server: Server;
  before(async () => {
    server = await withAccounts(startPlainServer({ FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8" }), { owner: {} });
    assert.equal((await server.run(["blocklist", "add", sha256(BLOCKED), "--reason", "Court order"])).code, 0);
  });
  after(() => server[Symbol.asyncDispose]());

  const { delegate, put } = delegationCalls(() => server);
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await server.run(args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const untilStatus = (shortId: string, status: string): Promise<unknown> =>
    until(`it is ${status}`, async () => (await getShare(server, shortId)).scanStatus === status);

  async function assertBlocked({ id, shortId }: Pick<Upload, "id" | "shortId">): Promise<void> {
    await untilStatus(shortId, "unavailable");
    assertRefused(await authorize(server, id), { status: 404, code: "SCAN_BLOCKED" });
    assert.equal((await getShare(server, shortId)).failureReason, "scan_failed");
  }

  const bytes = new TextEncoder().encode(BLOCKED);
  const WAYS: Readonly<Record<string, () => Promise<Pick<Upload, "id" | "shortId">>>> = {
    "one request": () => upload(server, { bytes: BLOCKED }),
    "an account": () => upload(server, { bytes: BLOCKED }, server.owner),
    "the curl form": async () => {
      const response = await fetch(`${server.url}/a.txt`, { method: "PUT", body: BLOCKED, headers: { Accept: "application/json" } });
      const { data } = (await response.json()) as { data: Upload };
      return data;
    },
    "many small files": async () => {
      const { data } = await clientOf(server, server.owner).call("createShare", {});
      const { body } = await postBatch(server, { shareShortId: data.shortId }, [{ relativePath: "a.txt", bytes: BLOCKED }], server.owner);
      const [file] = body.data.files;
      assert.ok(file);
      return file;
    },
    parts: async () => {
      const session = await init(server, { fileSize: bytes.length });
      await sendParts(server, session, bytes);
      return await complete(server, session);
    },
    "a delegation": async () => {
      const delegation = await delegate({ name: "a.txt" });
      const { body } = await put(delegation, BLOCKED);
      return body.data;
    },
    "an import": async () => {
      await using origin = await startOrigin({ "/a.txt": sendFile({ bytes: Buffer.from(BLOCKED) }) });
      const created = await createImport(server, { url: `${origin.url}/a.txt` });
      const { fileId = "", shortId = "" } = await waitForEnd(server, created);
      return { id: fileId ?? "", shortId: shortId ?? "" };
    },
  };
  for (const [way, send] of Object.entries(WAYS))
    test(`blocks a file that arrives by ${way}`, async () => {
      await assertBlocked(await send());
    });

  test("lets files with other digests pass, also those whose digest is not known at the end of their upload", async () => {
    const file = await upload(server, { bytes: "harmless" });
    assert.equal(file.scanStatus, "clean");
    const large = await uploadInParts(server, someBytes(3 * MB), { partSize: MB });
    await untilStatus(large.shortId, "clean");
  });

  test("blocks files that exist when a digest is added, and frees them by a rescan after it was removed", async () => {
    const text = `text ${crypto.randomUUID()}`;
    const files = [await upload(server, { bytes: text }), await upload(server, { bytes: text }, server.owner)];
    const [first] = files;
    assert.ok(first);
    const url = await signedUrl(server, first.id);
    await run("blocklist", "add", sha256(text).toUpperCase());
    for (const file of files) await assertBlocked(file);
    assert.notEqual((await fetch(url)).status, 200, "a signed URL of before");
    await run("blocklist", "remove", sha256(text));
    await assertBlocked(first);
    for (const { id } of files) await run("rescan", id);
    for (const { shortId } of files) await untilStatus(shortId, "clean");
    assert.equal(await (await fetch(await signedUrl(server, first.id))).text(), text);
  });

  test("is listed with reason, who and when, and refuses what is no digest", async () => {
    const listed = JSON.parse(await run("blocklist", "list", "--json")) as {
      sha256: string;
      reason: string;
      addedBy: string;
      createdAt: string;
    }[];
    const entry = listed.find(({ sha256: digest }) => digest === sha256(BLOCKED));
    assert.deepEqual(
      { ...entry, createdAt: "" },
      { sha256: sha256(BLOCKED), reason: "Court order", addedBy: "command_line", createdAt: "" },
    );
    assert.match(await run("blocklist", "list"), /Court order/);
    assert.match(await run("blocklist", "add", sha256(BLOCKED), "--reason", "Another"), /already/);
    for (const args of [
      ["add", "x"],
      ["add", "a".repeat(63)],
      ["remove", "x"],
      ["remove", sha256("unknown")],
    ])
      assert.notEqual((await server.run(["blocklist", ...args])).code, 0, args.join(" "));
  });

  test("gets the files of a share that is taken down with --block", async () => {
    const text = `text ${crypto.randomUUID()}`;
    const [taken, other] = [await upload(server, { bytes: text }), await upload(server, { bytes: text })];
    await run("takedown", taken.shortId, "--block", "--reason", "Notice");
    await assertBlocked(other);
    await assertBlocked(await upload(server, { bytes: text }));
  });

  test("never serves a file whose upload ends while its digest is added", async () => {
    for (let round = 0; round < 5; round += 1) {
      const text = `text ${crypto.randomUUID()}`;
      const uploads = Array.from({ length: 8 }, () => upload(server, { bytes: text }));
      const sessions = await Promise.all(Array.from({ length: 4 }, () => init(server, { fileSize: text.length })));
      for (const session of sessions) await sendParts(server, session, new TextEncoder().encode(text));
      const [, files, completed] = await Promise.all([
        run("blocklist", "add", sha256(text)),
        Promise.all(uploads),
        Promise.all(sessions.map((session) => postComplete(server, session))),
      ]);
      for (const file of [...files, ...completed.map(({ body }) => body.data)]) await assertBlocked(file);
    }
    await withDatabase(server, async (db) => {
      const clean = await db
        .selectFrom("files")
        .innerJoin("blocked_digests", "blocked_digests.sha256", "files.sha256")
        .select("files.id")
        .where("scan_status", "=", "clean")
        .where("status", "=", "active")
        .execute();
      assert.deepEqual(clean, []);
    });
  });

  test("blocks a file whose parts went directly to an S3 store", { skip: swiftMissing }, async () => {
    const swift = await joinSwift();
    await using onS3 = await startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: "direct", FILEHOST_SCANNER: "off" } });
    await waitForPresignedParts(onS3);
    const sent = someBytes(11 * MB);
    await onS3.run(["blocklist", "add", sha256(sent)]);
    const session = await init(onS3, { fileSize: sent.length, partSize: 5 * MB });
    const { status, body } = await postComplete(onS3, session, { parts: await sendPlain(onS3, session, sent) });
    assert.equal(status, 200, JSON.stringify(body));
    assert.notEqual(body.data.scanStatus, "clean");
    await until("it is blocked", async () => (await getShare(onS3, body.data.shortId)).scanStatus === "unavailable");
    assertRefused(await call(onS3, "GET", `/api/files/download/${body.data.id}`), { status: 404, code: "SCAN_BLOCKED" });
  });
});
