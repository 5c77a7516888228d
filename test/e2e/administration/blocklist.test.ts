import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeFolder } from "../../support/folder.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { joinSwift, swiftMissing } from "../../support/services/swift.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, authorize, call, clientOf, getShare, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { sendPlain, startOnS3, waitForPresignedParts } from "../support/servers/s3.ts";
import { withDatabase } from "../support/servers/state.ts";
import { delegationCalls } from "../support/shares/delegations.ts";
import { createImport, waitForEnd } from "../support/shares/imports.ts";
import { postBatch } from "../support/uploads/batches.ts";
import { complete, init, MB, postComplete, sendParts, sha256, someBytes, uploadInParts } from "../support/uploads/multipart.ts";

const BLOCKED = "what nobody may share";

type Server = ServerWith<"owner" | "administrator">;

/** scanning, "The blocklist"; expiry, "Takedown". */
describe("the blocklist", () => {
  let server: Server;
  before(async () => {
    server = await withAccounts(startPlainServer({ FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8" }), {
      owner: {},
      administrator: { isAdministrator: true },
    });
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

  test("is disclosed only to the owner of a blocked file", async () => {
    const file = await upload(server, { name: "own.txt", bytes: BLOCKED }, server.owner);
    await assertBlocked(file);
    const { data } = await clientOf(server, server.owner).call("getFile", { fileId: file.id });
    assert.deepEqual([data.isBlocklisted, data.failureReason], [true, "scan_failed"]);
    const cookies = { owner: await startSession(server, server.owner), other: await startSession(server, server.administrator) };
    const show = async (path: string, session?: string): Promise<string> => {
      const headers = { Accept: "text/html", ...(session !== undefined && { Cookie: `session=${session}` }) };
      return await (await fetch(server.url + path, { headers })).text();
    };
    for (const path of [`/d/${file.shortId}`, "/files", `/files/details/${file.id}`])
      assert.match(await show(path, cookies.owner), /Blocked by the administrator/, path);
    for (const session of [undefined, cookies.other]) {
      const page = await show(`/d/${file.shortId}`, session);
      assert.match(page, /This file is blocked/);
      assert.doesNotMatch(page, /by the administrator|does not allow/);
    }
    assert.ok(!JSON.stringify(await getShare(server, file.shortId)).includes("isBlocklisted"));
  });

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

  test("allows files with other digests, also those whose digest is not known at the end of their upload", async () => {
    const file = await upload(server, { bytes: "harmless" });
    assert.equal(file.scanStatus, "clean");
    const large = await uploadInParts(server, someBytes(3 * MB), { partSize: MB });
    await untilStatus(large.shortId, "clean");
  });

  test("blocks files that exist when a digest is added, and a rescan releases them after it was removed", async () => {
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

  test("ends the URLs of downloads that were issued before, also if every download is used up", async () => {
    const text = `text ${crypto.randomUUID()}`;
    const fields = { openShare: "true", once: "true" };
    const send = (): Promise<Upload> => upload(server, { bytes: text, fields }, server.owner);
    const [limited, archived, listed] = [await send(), await send(), await send()];
    const urls = [
      await signedUrl(server, limited.id),
      (await clientOf(server).call("authorizeArchive", { shortId: archived.shortId })).url,
      listed.url,
    ];
    const [first = "", , third = ""] = urls;
    for (const url of [first, third]) assert.equal((await fetch(url, { headers: { Range: "bytes=0-3" } })).status, 206, url);
    await run("blocklist", "add", sha256(text));
    for (const url of urls) assert.equal((await fetch(url)).status, 404, url);
  });

  test("blocks more files than one transaction can", async () => {
    const text = `text ${crypto.randomUUID()}`;
    const { data } = await clientOf(server, server.owner).call("createShare", {});
    const files = Array.from({ length: 230 }, (_, n) => ({ relativePath: `${n}.txt`, bytes: text }));
    for (const part of [files.slice(0, 50), files.slice(50, 100), files.slice(100, 150), files.slice(150, 200), files.slice(200)])
      assert.equal((await postBatch(server, { shareShortId: data.shortId }, part, server.owner)).status, 200);
    await run("blocklist", "add", sha256(text));
    await until("all are blocked", () =>
      withDatabase(server, async (db) => {
        const clean = await db
          .selectFrom("files")
          .select("id")
          .where("sha256", "=", sha256(text))
          .where("scan_status", "=", "clean")
          .execute();
        return clean.length === 0;
      }),
    );
  });

  test("gets the digest of a file that is taken down before the digest is known, and reports this", async () => {
    const bytes = someBytes(3 * MB);
    const [taken, other] = [await uploadInParts(server, bytes, { partSize: MB }), await uploadInParts(server, bytes, { partSize: MB })];
    for (const { shortId } of [taken, other]) await untilStatus(shortId, "clean");
    // Makes the server compute the digests again.
    await withDatabase(server, (db) => db.updateTable("files").set({ sha256: null }).where("id", "=", taken.id).execute());
    const { stdout, stderr } = await server.run(["takedown", taken.shortId, "--block", "--reason", "Notice", "--json"]);
    const report = JSON.parse(stdout) as { blocked: string[]; blockedLater: { id: string }[]; notBlocked: unknown[] };
    assert.deepEqual([report.blocked, report.blockedLater.map(({ id }) => id), report.notBlocked], [[], [taken.id], []], stderr);
    await assertBlocked(other);
    const listed = JSON.parse(await run("blocklist", "list", "--json")) as { sha256: string; reason: string; addedBy: string }[];
    const { reason, addedBy } = listed.find((entry) => entry.sha256 === sha256(bytes)) ?? {};
    assert.deepEqual({ reason, addedBy }, { reason: "Notice", addedBy: "command_line" });
  });

  test("does not get a file whose upload had not ended when it was taken down", async () => {
    const session = await init(server, { fileSize: 10 });
    const { stdout } = await server.run(["takedown", session.shortId, "--block", "--json"]);
    const { blocked, blockedLater, notBlocked } = JSON.parse(stdout) as { blocked: []; blockedLater: []; notBlocked: { id: string }[] };
    assert.deepEqual([blocked, blockedLater, notBlocked.map(({ id }) => id)], [[], [], [session.fileId]]);
  });

  test("is listed with reason, account and time, and refuses a text that is no digest", async () => {
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

  test("gets many digests from an administrator, all or none, and finds them by their start or reason", async () => {
    const admin = clientOf(server, server.administrator);
    const reason = `100 %_ ${crypto.randomUUID()}`;
    const digests = Array.from({ length: 3 }, () => sha256(crypto.randomUUID()));
    const [first = "", ...others] = digests;
    const refused = await call(server, "POST", "/api/admin/blocklist", { ...server.administrator, json: { digests: [...digests, "x"] } });
    assertRefused(refused, { status: 400, code: "VALIDATION_FAILED" });
    assert.deepEqual((await admin.call("blockDigests", { digests: [first.toUpperCase()] })).data, { added: [first], known: [] });
    assert.deepEqual((await admin.call("blockDigests", { digests, reason })).data, { added: others, known: [first] });
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await admin.call("listBlockedDigests", { search: "100 %_", limit: 1, cursor });
      found.push(...page.data.map(({ sha256 }) => sha256));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(found.sort(), others.sort());
    assert.deepEqual((await admin.call("listBlockedDigests", { search: first.slice(0, 20) })).data[0]?.sha256, first);
    assert.deepEqual((await admin.call("listBlockedDigests", { search: "100 %_x" })).data, []);
    const listed = JSON.parse(await run("blocklist", "list", "--search", reason, "--json")) as { sha256: string }[];
    assert.deepEqual(listed.map(({ sha256 }) => sha256).sort(), others.sort());
  });

  test("gets the digests of a text file from the command line, all or none", async () => {
    await using folder = await makeFolder();
    const path = join(folder.path, "digests.txt");
    const digests = Array.from({ length: 1200 }, () => sha256(crypto.randomUUID()));
    const add = () => server.run(["blocklist", "add", "--from", path, "--json"]);
    await writeFile(path, `${digests.join("\n")}\nx\n`);
    assert.deepEqual([(await add()).code, (await server.run(["blocklist", "add", "--from", `${path}.no`])).code], [2, 2]);
    await writeFile(path, ` ${digests.join("\r\n")}\n\n`);
    assert.deepEqual(JSON.parse((await add()).stdout), { added: digests, known: [] });
    assert.deepEqual(JSON.parse((await add()).stdout).known.length, digests.length);
    assert.equal((await server.run(["blocklist", "add"])).code, 2);
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
