import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Output } from "../../../src/service/contract.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, deleteFile, type InputOf, listFiles, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { claim } from "../support/shares/shares.ts";

type Run = Output<"listRun">;

/** listing, "Pages", "Files" and "Runs". */
describe("a file list", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  type Page = Omit<InputOf<"listFiles">, "runId">;
  const list = (key: string, page?: Page) => listFiles(server, key, page);
  const names = async (key: string, page?: Page): Promise<string[]> => (await list(key, page)).files.map(({ name }) => name);
  const makeFolder = async (key: string, name: string, parentId?: string): Promise<string> =>
    (await clientOf(server, { key }).call("createFolder", { name, parentId })).data.id;

  test("shows each file's upload response without secrets, and its current state", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { bytes: "hello", fields: { runId: "r1", protect: "true" } }, { key });
    const { files, folders, pagination } = await list(key);
    assert.equal(files.length, 1);
    const { claimToken, deletionToken, unlockCode, handoffUrl, url, ...shown } = file as Upload & {
      unlockCode: string;
      handoffUrl: string;
    };
    assert.ok(unlockCode && handoffUrl);
    const [item] = files;
    assert.ok(item);
    assert.deepEqual(
      { ...item, url: "" },
      {
        ...shown,
        url: "",
        downloads: 0,
        folderId: null,
        visibility: "unlisted",
        unlockRequired: true,
        unlockKind: "code",
        status: "active",
        failureReason: null,
        scanned: false,
        isBlocklisted: false,
        immutable: false,
        linkCount: 1,
        links: [{ id: file.id, shortId: file.shortId, shareUrl: file.shareUrl, sharePath: file.sharePath, title: null }],
        requestId: null,
        thumbnailUrl: null,
      },
    );
    assert.equal(await (await fetch(item.url)).text(), "hello");
    assert.deepEqual(folders, []);
    assert.deepEqual(pagination, { page: 1, limit: 50, total: 1, totalPages: 1 });
  });

  test("is ordered newest first, in pages, without removed and unfinished files", async () => {
    const { key } = await addAccount(server);
    for (const name of ["1", "2", "3", "4", "5"]) await upload(server, { name, bytes: name }, { key });
    assert.deepEqual(await names(key), ["5", "4", "3", "2", "1"]);
    assert.deepEqual(await names(key, { limit: 2 }), ["5", "4"]);
    assert.deepEqual(await names(key, { limit: 2, page: 3 }), ["1"]);
    assert.deepEqual((await list(key, { limit: 2, page: 4 })).pagination, { page: 4, limit: 2, total: 5, totalPages: 3 });
    const [newest] = (await list(key)).files;
    await deleteFile(server, { fileId: newest?.id ?? "" }, { key });
    assert.deepEqual(await names(key), ["4", "3", "2", "1"]);
    assert.deepEqual((await list(key)).pagination, { page: 1, limit: 50, total: 4, totalPages: 1 });
    const used = await upload(server, { name: "once", bytes: "x", fields: { once: "1" } }, { key });
    await signedUrl(server, used.id);
    assert.deepEqual(await names(key), ["4", "3", "2", "1"]);
    await clientOf(server, { key }).call("initMultipart", { fileName: "under-way", fileSize: 5 });
    assert.deepEqual(await names(key), ["4", "3", "2", "1"]);
  });

  test("is sorted by name, size and state, in both directions", async () => {
    const { key } = await addAccount(server);
    for (const [name, size] of [
      ["Scan 10.pdf", 3],
      ["scan 2.pdf", 1],
      ["Äpfel.txt", 2],
    ] as const)
      await upload(server, { name, bytes: "x".repeat(size) }, { key });
    const byName = ["Äpfel.txt", "scan 2.pdf", "Scan 10.pdf"];
    assert.deepEqual(await names(key, { sort: "name" }), byName);
    assert.deepEqual(await names(key, { sort: "name", order: "desc" }), byName.toReversed());
    assert.deepEqual(await names(key, { sort: "size" }), ["Scan 10.pdf", "Äpfel.txt", "scan 2.pdf"]);
    assert.deepEqual(await names(key, { sort: "size", order: "asc" }), ["scan 2.pdf", "Äpfel.txt", "Scan 10.pdf"]);
    assert.deepEqual(await names(key, { sort: "created", order: "asc" }), ["Scan 10.pdf", "scan 2.pdf", "Äpfel.txt"]);
    await withDatabase(server, (db) =>
      db.updateTable("files").set({ scan_status: "unavailable" }).where("name", "=", "scan 2.pdf").execute(),
    );
    const byState = await names(key, { sort: "state" });
    assert.equal(byState[0], "scan 2.pdf");
    assert.deepEqual(await names(key, { sort: "state", order: "desc" }), byState.toReversed());
    for (const sort of ["created", "name", "size", "state"] as const)
      for (const order of ["asc", "desc"] as const) {
        const paged = await Promise.all([1, 2, 3].map((page) => names(key, { sort, order, page, limit: 1 })));
        assert.deepEqual(paged.flat(), await names(key, { sort, order }), `${sort} ${order}`);
      }
  });

  test("is searched by words, regardless of case and accents, with the folders of the files", async () => {
    const { key } = await addAccount(server);
    const folderId = await makeFolder(key, "Fälle 2026");
    const inside = await makeFolder(key, "Alte Fälle", folderId);
    for (const name of ["Übersicht der Fälle.pdf", "Faelle.pdf", "50%.txt", "a_b.txt"]) await upload(server, { name, bytes: "x" }, { key });
    await upload(server, { name: "faLLE 2026.txt", bytes: "x", fields: { folderId } }, { key });
    assert.deepEqual((await names(key, { search: " FALLE " })).toSorted(), ["faLLE 2026.txt", "Übersicht der Fälle.pdf"]);
    assert.deepEqual(await names(key, { search: "fälle übersicht" }), ["Übersicht der Fälle.pdf"]);
    assert.deepEqual(await names(key, { search: "%" }), ["50%.txt"]);
    assert.deepEqual(await names(key, { search: "_" }), ["a_b.txt"]);
    assert.deepEqual(await names(key, { search: "falle", folderId }), ["faLLE 2026.txt"]);
    assert.deepEqual(await names(key, { search: "falle", folderId: "null" }), ["Übersicht der Fälle.pdf"]);
    const { folders, parents, pagination, path } = await list(key, { search: "fälle", limit: 1 });
    assert.deepEqual(
      folders?.map(({ name }) => name),
      ["Alte Fälle", "Fälle 2026"],
    );
    assert.deepEqual(parents, [{ id: folderId, name: "Fälle 2026" }]);
    assert.deepEqual([pagination.total, path], [2, undefined]);
    assert.deepEqual((await list(key, { folderId: inside })).path, [
      { id: folderId, name: "Fälle 2026" },
      { id: inside, name: "Alte Fälle" },
    ]);
    const { data } = await clientOf(server, { key }).call("listFileIds", { search: "falle" });
    assert.equal(data.ids.length, 2);
  });

  test("keeps a stable order across pages for files of the same time", async () => {
    const { key, userId } = await addAccount(server);
    for (let count = 0; count < 7; count += 1) await upload(server, { bytes: "x" }, { key });
    await withDatabase(server, (db) => db.updateTable("files").set({ created_at: 1000 }).where("owner_id", "=", userId).execute());
    const all = (await list(key)).files.map(({ id }) => id);
    const paged: string[] = [];
    for (let page = 1; page <= 4; page += 1) paged.push(...(await list(key, { limit: 2, page })).files.map(({ id }) => id));
    assert.deepEqual(paged, all);
    assert.equal(new Set(paged).size, 7);
  });

  test("is limited to a folder, with its subfolders", async () => {
    const { key } = await addAccount(server);
    const docs = await makeFolder(key, "docs");
    const old = await makeFolder(key, "old", docs);
    await upload(server, { name: "root", bytes: "x" }, { key });
    await upload(server, { name: "in-docs", bytes: "x", fields: { folderId: docs } }, { key });
    await upload(server, { name: "in-old", bytes: "x", fields: { folderId: old } }, { key });
    assert.deepEqual(await names(key), ["in-old", "in-docs", "root"]);
    assert.deepEqual(await names(key, { folderId: "null" }), ["root"]);
    const inside = await list(key, { folderId: docs });
    assert.deepEqual(
      inside.files.map(({ name, folderId }) => [name, folderId]),
      [["in-docs", docs]],
    );
    assert.deepEqual(
      inside.folders?.map(({ name }) => name),
      ["old"],
    );
    assert.deepEqual(inside.pagination, { page: 1, limit: 50, total: 1, totalPages: 1 });
    assert.deepEqual(
      (await list(key)).folders?.map(({ name }) => name),
      ["docs"],
    );
    for (const no of ["false", "0"] as const) assert.equal((await list(key, { includeFolders: no })).folders, undefined);
  });

  test("caps a limit above the maximum and refuses invalid numbers", async () => {
    const { key } = await addAccount(server);
    for (const [sent, effective] of [
      ["1", 1],
      ["200", 200],
      ["201", 200],
      ["500", 200],
      ["99999999999999999999", 200],
    ] as const) {
      assert.deepEqual((await list(key, { limit: sent })).pagination, { page: 1, limit: effective, total: 0, totalPages: 0 });
    }
    assert.deepEqual((await list(key, { page: "99999999999999999999" })).files, []);
    for (const query of [
      "limit=0",
      "limit=-1",
      "limit=1.5",
      "limit=1e2",
      "limit=x",
      "limit=%2010",
      "page=0",
      "page=x",
      "folderId=x",
      "includeFolders=maybe",
      `runId=${"x".repeat(121)}`,
    ]) {
      assertRefused(await call(server, "GET", `/api/files/list?${query}`, { key }), { status: 400, code: "VALIDATION_FAILED" });
    }
    assert.deepEqual((await list(key, { limit: "", page: "", folderId: "" })).pagination, { page: 1, limit: 50, total: 0, totalPages: 0 });
  });

  test("shows a run whose name equals that of another route", async () => {
    const ada = await addAccount(server);
    const runId = "download-events";
    await upload(server, { name: "a", bytes: "x", fields: { runId } }, ada);
    const { data } = await clientOf(server, { key: ada.key }).call("listRun", { runId });
    assert.deepEqual([data.runId, data.artifacts.map(({ name }) => name)], [runId, ["a"]]);
  });

  test("shows a run on both routes, and another account's run as empty", async () => {
    const [ada, bob] = [await addAccount(server), await addAccount(server)];
    const runId = "build 7/ä?";
    for (const name of ["a", "b", "c"]) await upload(server, { name, bytes: "x", fields: { runId } }, ada);
    await upload(server, { name: "other", bytes: "x", fields: { runId: "other" } }, ada);
    const addresses = [
      `/api/files/list?page=9&folderId=null&runId=${encodeURIComponent(runId)}`,
      `/api/files/list?page=0&folderId=x&includeFolders=maybe&runId=${encodeURIComponent(runId)}`,
      `/api/files/run/${encodeURIComponent(runId)}`,
    ];
    for (const address of addresses) {
      const { status, body } = await call<{ data: Run; pagination?: unknown }>(server, "GET", address, { key: ada.key });
      assert.equal(status, 200);
      const { data } = body;
      assert.deepEqual([data.runId, data.artifacts.map(({ name }) => name)], [runId, ["c", "b", "a"]]);
      assert.equal(body.pagination, undefined);
      assert.deepEqual((await call(server, "GET", address, { key: bob.key })).body.data, { runId, total: 0, artifacts: [] });
    }
    const two = await clientOf(server, { key: ada.key }).call("listRun", { runId, limit: "2" });
    assert.equal(two.data.artifacts.length, 2);
    await clientOf(server, { key: ada.key }).call("listRun", { runId: "r", limit: "501" });
    for (const limit of ["0", "x"]) {
      assertRefused(await call(server, "GET", `/api/files/run/r?limit=${limit}`, { key: ada.key }), {
        status: 400,
        code: "VALIDATION_FAILED",
      });
    }
    assertRefused(await call(server, "GET", `/api/files/run/${"x".repeat(121)}`, { key: ada.key }), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
  });

  test("shows 100 files of a run by default and 500 at most", async () => {
    const { key, userId } = await addAccount(server);
    await upload(server, { bytes: "x", fields: { runId: "many" } }, { key });
    await withDatabase(server, async (db) => {
      const file = await db.selectFrom("files").selectAll().where("owner_id", "=", userId).executeTakeFirstOrThrow();
      const copies = Array.from({ length: 510 }, (_, copy) => ({ ...file, id: `copy${copy}${file.id}`, blob_key: `${copy}` }));
      await db.insertInto("files").values(copies).execute();
    });
    const count = async (path: string) => (await call<{ data: Run }>(server, "GET", path, { key })).body.data.artifacts.length;
    assert.equal(await count("/api/files/run/many"), 100);
    assert.equal(await count("/api/files/run/many?limit=9999"), 500);
    assert.equal(await count("/api/files/list?runId=many&limit=500"), 500);
    const client = clientOf(server, { key });
    const { data } = await client.call("listRun", { runId: "many", page: "2", limit: "500" });
    assert.deepEqual([data.total, data.artifacts.length], [511, 11]);
    const first = (await client.call("listRun", { runId: "many", limit: "500" })).data.artifacts;
    assert.equal(new Set([...first, ...data.artifacts].map(({ id }) => id)).size, 511);
  });

  test("lists the runs of an account, the one with the newest file first", async () => {
    const [ada, bob] = [await addAccount(server), await addAccount(server)];
    await upload(server, { bytes: "x" }, ada);
    for (const runId of ["old", "new", "old"]) await upload(server, { bytes: "12345", fields: { runId } }, ada);
    await upload(server, { bytes: "x", fields: { runId: "of another account" } }, bob);
    const client = clientOf(server, { key: ada.key });
    const { data, pagination } = await client.call("listRuns", {});
    assert.deepEqual(
      data.map(({ runId, files, size }) => [runId, files, size]),
      [
        ["old", 2, 10],
        ["new", 1, 5],
      ],
    );
    assert.deepEqual(pagination, { page: 1, limit: 50, total: 2, totalPages: 1 });
    assert.ok((data[0]?.createdAt ?? "") <= (data[1]?.createdAt ?? "") && (data[0]?.updatedAt ?? "") >= (data[1]?.updatedAt ?? ""));
    const second = await client.call("listRuns", { page: "2", limit: "1" });
    assert.deepEqual(
      second.data.map(({ runId }) => runId),
      ["new"],
    );
  });

  test("includes a claimed file", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { bytes: "x" });
    assert.deepEqual(await names(key), []);
    await claim(server, file, key);
    const { files, pagination } = await list(key);
    assert.deepEqual(
      files.map(({ id, isAnonymous }) => [id, isAnonymous]),
      [[file.id, false]],
    );
    assert.deepEqual(pagination, { page: 1, limit: 50, total: 1, totalPages: 1 });
  });

  test("shows its owner a file that was taken down", async () => {
    const { key } = await addAccount(server);
    const file = await upload(server, { bytes: "x" }, { key });
    assert.equal((await server.run(["takedown", file.shortId])).code, 0);
    assert.deepEqual(
      (await list(key)).files.map(({ id, status }) => [id, status]),
      [[file.id, "dmca_removed"]],
    );
  });

  test("requires a key", async () => {
    for (const path of ["/api/files/list", "/api/files/run/r", "/api/files/x/download-events"]) {
      assertRefused(await call(server, "GET", path), { status: 401, code: "UNAUTHENTICATED" });
    }
  });
});
