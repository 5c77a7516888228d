import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import type { Output } from "../../../src/service/contract.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import {
  type ApiResponse,
  assertRefused,
  call,
  clientOf,
  deleteFile,
  type InputOf,
  postUpload,
  signedUrl,
  upload,
} from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

type Folder = Output<"createFolder">;

/** folders, "Operations", "Creating the folders of paths", "Deleting", "Listing" and "Names". */
describe("a folder", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const post = (key: string, json: object): Promise<ApiResponse> => call(server, "POST", "/api/folders", { key, json });
  async function make(key: string, name: string, parentId?: string): Promise<Folder> {
    return (await clientOf(server, { key }).call("createFolder", { name, parentId })).data;
  }
  async function list(key: string, input: InputOf<"listFolders"> = {}) {
    const { data, pagination } = await clientOf(server, { key }).call("listFolders", input);
    return { folders: data, pagination };
  }
  const names = async (key: string, input?: InputOf<"listFolders">): Promise<string[]> =>
    (await list(key, input)).folders.map(({ name }) => name);
  const change = async (key: string, id: string, fields: Omit<InputOf<"changeFolder">, "id">): Promise<Folder> =>
    (await clientOf(server, { key }).call("changeFolder", { id, ...fields })).data;
  const patch = (key: string, id: string, json: object): Promise<ApiResponse> => call(server, "PATCH", `/api/folders/${id}`, { key, json });
  const remove = (key: string, id: string): Promise<ApiResponse> => call(server, "DELETE", `/api/folders/${id}`, { key });

  test("is not named . or ..", async () => {
    const { key } = await addAccount(server);
    const folder = await make(key, "Fine");
    for (const name of [".", "..", " .. ", ".\u200e."]) {
      for (const { status, body } of [await post(key, { name }), await patch(key, folder.id, { name })]) {
        assert.equal(status, 400, name);
        assert.match(JSON.stringify(body), /cannot be named/);
      }
    }
    assert.deepEqual(await names(key), ["Fine"]);
    for (const name of ["...", ".config", "a..b"]) assert.equal((await make(key, name)).name, name);
  });

  test("is listed by its name in natural order, on each page of the list and in a search", async () => {
    const { key } = await addAccount(server);
    for (const name of ["Day 10", "Día 3", "day 2", "Day 1", "Night"]) await make(key, name);
    const ordered = ["Day 1", "day 2", "Day 10", "Día 3", "Night"];
    assert.deepEqual(await names(key), ordered);
    assert.deepEqual(await names(key, { search: "da" }), ordered.slice(0, 3));
    const pages = [1, 2, 3].map((page) => names(key, { limit: 2, page }));
    assert.deepEqual((await Promise.all(pages)).flat(), ordered);
    const { folders } = Object(await clientOf(server, { key }).call("listFiles", {})).data;
    assert.deepEqual(
      folders.map(({ name }: { readonly name: string }) => name),
      ordered,
    );
  });

  test("is created and listed at the root and inside another, in pages", async () => {
    const { key } = await addAccount(server);
    const photos = await make(key, "  Photos ");
    assert.deepEqual(
      { ...photos, id: "", created_at: "", updated_at: "" },
      {
        id: "",
        name: "Photos",
        parent_id: null,
        file_count: 0,
        folder_count: 0,
        total_size: 0,
        created_at: "",
        updated_at: "",
      },
    );
    const summer = await make(key, "Summer", photos.id);
    await make(key, "audio");
    assert.equal(summer.parent_id, photos.id);
    assert.deepEqual(await names(key), ["audio", "Photos", "Summer"]);
    assert.deepEqual(await names(key, { parentId: "null" }), ["audio", "Photos"]);
    assert.deepEqual(await names(key, { parentId: photos.id }), ["Summer"]);
    assert.deepEqual(await names(key, { limit: 1, page: 2 }), ["Photos"]);
    assert.deepEqual((await list(key, { limit: 2, page: 9 })).pagination, { page: 9, limit: 2, total: 3, totalPages: 2 });
    assert.deepEqual((await list(key, { limit: 201 })).pagination, { page: 1, limit: 200, total: 3, totalPages: 1 });
  });

  test("is searched literally and without regard to case, and listed without totals", async () => {
    const { key } = await addAccount(server);
    for (const name of ["100% done", "100 percent", "under_score", "underscore"]) await make(key, name);
    assert.deepEqual(await names(key, { search: "UNDER" }), ["under_score", "underscore"]);
    assert.deepEqual(await names(key, { search: "%" }), ["100% done"]);
    assert.deepEqual(await names(key, { search: "_" }), ["under_score"]);
    assert.deepEqual(await names(key, { search: "\\" }), []);
    await make(key, "Äpfel");
    for (const search of ["äpf", "ÄPFEL", "a\u0308pfel"]) assert.deepEqual(await names(key, { search }), ["Äpfel"]);
    const { folders, pagination } = await list(key, { search: "100", parentId: "null" });
    assert.equal(folders.length, 2);
    assert.deepEqual(pagination, { page: 1, limit: 50, total: 2, totalPages: 1 });
    for (const folder of folders) assert.ok(!("file_count" in folder) && !("total_size" in folder));
  });

  test("shows totals that follow uploads, deletions and used-up files", async () => {
    const { key } = await addAccount(server);
    const [left, right] = [await make(key, "left"), await make(key, "right")];
    const totals = async () =>
      Object.fromEntries((await list(key)).folders.map(({ name, file_count, total_size }) => [name, [file_count, total_size]]));
    const send = (folderId: string, bytes: string) => upload(server, { bytes, fields: { folderId } }, { key });
    const first = await send(left.id, "12345");
    await send(left.id, "123");
    await send(right.id, "1");
    assert.deepEqual(await totals(), { left: [2, 8], right: [1, 1] });
    await deleteFile(server, { fileId: first.id }, { key });
    assert.deepEqual(await totals(), { left: [1, 3], right: [1, 1] });
    const once = await upload(server, { bytes: "22", fields: { folderId: right.id, once: "true" } }, { key });
    assert.deepEqual(await totals(), { left: [1, 3], right: [2, 3] });
    await signedUrl(server, once.id);
    assert.deepEqual(await totals(), { left: [1, 3], right: [1, 1] });
  });

  test("is renamed and moved, but not into itself", async () => {
    const { key } = await addAccount(server);
    const [a, b] = [await make(key, "a"), await make(key, "b")];
    const inner = await make(key, "inner", a.id);
    const deepest = await make(key, "deepest", inner.id);
    assert.equal((await change(key, a.id, { name: "A" })).name, "A");
    const moved = await change(key, inner.id, { parentId: b.id });
    assert.deepEqual([moved.parent_id, moved.name], [b.id, "inner"]);
    for (const [id, parentId] of [
      [b.id, deepest.id],
      [b.id, inner.id],
      [b.id, b.id],
    ] as const) {
      assertRefused(await patch(key, id, { parentId }), { status: 409, code: "FOLDER_CYCLE" });
    }
    assert.equal((await change(key, deepest.id, { parentId: null, name: "top" })).parent_id, null);
    assert.deepEqual(await names(key, { parentId: "null" }), ["A", "b", "top"]);
    assertRefused(await patch(key, a.id, {}), { status: 400, code: "VALIDATION_FAILED" });
  });

  test("is at most 32 levels deep, including moved folders", async () => {
    const { key } = await addAccount(server);
    let deepest = await make(key, "1");
    const line = [deepest];
    for (let level = 2; level <= 32; level += 1) {
      deepest = await make(key, String(level), deepest.id);
      line.push(deepest);
    }
    const refusal = { status: 409, code: "FOLDER_TOO_DEEP" } as const;
    assertRefused(await post(key, { name: "33", parentId: deepest.id }), refusal);
    const [top, other] = [await make(key, "top"), await make(key, "other")];
    await make(key, "inner", top.id);
    assertRefused(await patch(key, top.id, { parentId: line.at(-2)?.id }), refusal);
    assert.equal((await change(key, top.id, { parentId: line.at(-3)?.id })).parent_id, line.at(-3)?.id);
    assertRefused(await call(server, "POST", "/api/files/move", { key, json: { folderIds: [line[0]?.id], folderId: other.id } }), refusal);
  });

  test("is one of at most 10,000", async () => {
    const { key, userId } = await addAccount(server);
    await withDatabase(server, (db) =>
      sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
        INSERT INTO folders (id, owner_id, parent_id, name, created_at, updated_at)
        SELECT ${userId} || n, ${userId}, NULL, 'folder ' || n, 0, 0 FROM numbers`.execute(db),
    );
    const [first, second] = await Promise.all([post(key, { name: "a" }), post(key, { name: "b" })]);
    assert.deepEqual([first.status, second.status].toSorted(), [200, 409]);
    assertRefused(first.status === 409 ? first : second, { status: 409, code: "TOO_MANY_FOLDERS" });
  });

  test("may have the same name as others in one parent, by creation, rename or move", async () => {
    const { key } = await addAccount(server);
    const both = await Promise.all([make(key, "Photos"), make(key, "Photos")]);
    const parent = await make(key, "parent");
    const inside = await make(key, "photos", parent.id);
    const [composed, decomposed] = [await make(key, "Caf\u00e9"), await make(key, "Cafe\u0301")];
    await change(key, composed.id, { name: "Photos" });
    await change(key, inside.id, { parentId: null });
    const ids = new Set([...both, composed, inside].map(({ id }) => id));
    assert.equal(ids.size, 4);
    const { folders } = await list(key, { parentId: "null", search: "photos" });
    assert.deepEqual(new Set(folders.map(({ id }) => id)), ids);
    assert.deepEqual(
      await list(key, { parentId: "null", search: "photos" }),
      await list(key, { parentId: "null", search: "photos" }),
      "in a stable order",
    );
    await upload(server, { bytes: "x", fields: { folderId: both[0].id } }, { key });
    const counts = Object.fromEntries((await list(key)).folders.map(({ id, file_count }) => [id, file_count]));
    assert.deepEqual([counts[both[0].id], counts[both[1].id], counts[decomposed.id]], [1, 0, 0]);
    await clientOf(server, { key }).call("deleteFolder", { id: both[1].id });
    assertRefused(await remove(key, both[0].id), { status: 409, code: "FOLDER_NOT_EMPTY" });
  });

  test("is created once for a repeated Idempotency-Key", async () => {
    const { key } = await addAccount(server);
    const headers = { "Idempotency-Key": "one-folder-alone" };
    const responses = [1, 2].map(() => call(server, "POST", "/api/folders", { key, headers, json: { name: "once" } }));
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    assert.ok(statuses.includes(200), statuses.join());
    assert.deepEqual(await names(key), ["once"]);
  });

  test("is listed on any level without parentId, and on one level with it", async () => {
    const { key } = await addAccount(server);
    const top = await make(key, "top");
    const middle = await make(key, "middle", top.id);
    await make(key, "bottom", middle.id);
    assert.deepEqual(await names(key), ["bottom", "middle", "top"]);
    assert.deepEqual(await names(key, { parentId: "null" }), ["top"]);
    assert.deepEqual(await names(key, { parentId: top.id }), ["middle"]);
    assert.deepEqual(await names(key, { search: "o" }), ["bottom", "top"]);
    assert.deepEqual(await names(key, { search: "o", parentId: "null" }), ["top"]);
  });

  test("refuses one of two concurrent moves that would form a cycle", async () => {
    const { key } = await addAccount(server);
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = [await make(key, "a"), await make(key, "b")];
      const responses = await Promise.all([patch(key, a.id, { parentId: b.id }), patch(key, b.id, { parentId: a.id })]);
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409]);
    }
  });

  test("is deleted only when empty", async () => {
    const { key } = await addAccount(server);
    const outer = await make(key, "outer");
    const inner = await make(key, "inner", outer.id);
    const file = await upload(server, { bytes: "x", fields: { folderId: inner.id } }, { key });
    for (const { id } of [outer, inner]) assertRefused(await remove(key, id), { status: 409, code: "FOLDER_NOT_EMPTY" });
    await deleteFile(server, { fileId: file.id }, { key });
    assert.deepEqual(await clientOf(server, { key }).call("deleteFolder", { id: inner.id }), {
      success: true,
      data: { id: inner.id, deletedFiles: 0 },
    });
    await clientOf(server, { key }).call("deleteFolder", { id: outer.id });
    assertRefused(await remove(key, outer.id), { status: 404, code: "NOT_FOUND" });
    assert.deepEqual(await names(key), []);
  });

  test("is created with the other missing folders of paths, all or none, in existing folders of the same name", async () => {
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const inbox = await make(key, "Inbox");
    const [oldest] = [await make(key, "Trip", inbox.id), await make(key, "Trip", inbox.id)];
    const paths = ["Trip/Day 1", "Trip", "Trip//Day 2/Beach/", "Trip/Day 1"];
    const { folders } = (await client.call("createFolders", { paths, parentId: inbox.id })).data;
    assert.deepEqual(
      folders.map(({ path, isNew }) => [path, isNew]),
      [
        ["Trip/Day 1", true],
        ["Trip", false],
        ["Trip//Day 2/Beach/", true],
        ["Trip/Day 1", true],
      ],
    );
    assert.deepEqual([folders[1]?.id, folders[3]?.id], [oldest.id, folders[0]?.id]);
    assert.deepEqual(await names(key, { parentId: oldest.id }), ["Day 1", "Day 2"]);
    const again = (await client.call("createFolders", { paths, parentId: inbox.id })).data.folders;
    assert.deepEqual(
      again.map(({ id, isNew }) => [id, isNew]),
      folders.map(({ id }) => [id, false]),
    );
    const before = await list(key);
    const refusals = [
      [{ paths: ["new", "a/.."] }, 400, "VALIDATION_FAILED"],
      [{ paths: ["new", "/ /"] }, 400, "VALIDATION_FAILED"],
      [{ paths: ["new", "x".repeat(201)] }, 400, "VALIDATION_FAILED"],
      [{ paths: [] }, 400, "VALIDATION_FAILED"],
      [{ paths: Array.from({ length: 301 }, (_, n) => String(n)) }, 400, "VALIDATION_FAILED"],
      [{ paths: ["new", Array.from({ length: 33 }, () => "deep").join("/")] }, 409, "FOLDER_TOO_DEEP"],
      [{ paths: ["new"], parentId: crypto.randomUUID() }, 404, "NOT_FOUND"],
    ] as const;
    for (const [json, status, code] of refusals)
      assertRefused(await call(server, "POST", "/api/folders/paths", { key, json }), { status, code });
    assert.deepEqual(await list(key), before);
  });

  test("is deleted with a folder in it that is named too, and one call deletes at most 10,000 files", async () => {
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const outer = await make(key, "outer");
    const inner = await make(key, "inner", outer.id);
    const many = await make(key, "many");
    const { id } = await upload(server, { name: "one.txt", bytes: "one", fields: { folderId: many.id } }, { key });
    await withDatabase(server, async (db) => {
      const columns = Object.keys(await db.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirstOrThrow());
      const values = columns.map((column) => (column === "id" ? sql`'copy' || value` : sql.ref(`files.${column}`)));
      await sql`INSERT INTO files (${sql.join(columns.map((column) => sql.ref(column)))})
        SELECT ${sql.join(values)} FROM files, json_each(${JSON.stringify(Array.from({ length: 10_000 }, (_, index) => index))})
        WHERE files.id = ${id}`.execute(db);
    });
    const { deleted, refused } = (await client.call("deleteFiles", { folderIds: [outer.id, inner.id, many.id] })).data;
    assert.deepEqual(deleted, [outer.id, inner.id]);
    assert.deepEqual(
      refused.map(({ id, errorCode }) => [id, errorCode]),
      [[many.id, "CONFLICT"]],
    );
    assert.deepEqual(await names(key), ["many"]);
  });

  test("names the open links to exactly its files, the oldest first", async () => {
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const outer = await make(key, "outer");
    const inner = await make(key, "inner", outer.id);
    const send = (name: string, folderId: string) => upload(server, { name, bytes: name, fields: { folderId } }, { key });
    const links = async (id = outer.id) =>
      (await client.call("listFileIds", { folderId: id, recursive: true })).data.links?.map(({ shortId, title }) => [shortId, title]);
    assert.deepEqual(await links(), []);
    const first = await send("first.txt", outer.id);
    assert.deepEqual(await links(), [[first.shortId, null]]);
    const second = await send("second.txt", inner.id);
    const kept = await upload(server, { name: "kept.txt", bytes: "kept" }, { key });
    const share = async (input: { fileIds?: string[]; folderIds?: string[]; title?: string }) =>
      (await client.call("shareFiles", input)).data.shortId;
    await share({ fileIds: [first.id, second.id, kept.id] });
    assert.deepEqual(await links(), []);
    const [one, two] = [await share({ folderIds: [outer.id], title: "Outer" }), await share({ fileIds: [second.id, first.id] })];
    assert.deepEqual(await links(), [
      [one, "Outer"],
      [two, null],
    ]);
    assert.deepEqual(await links(inner.id), [[second.shortId, null]]);
    assert.equal((await client.call("listFileIds", {})).data.links, undefined);
    await client.call("closeShare", { shortId: one });
    assert.deepEqual(await links(), [[two, null]]);
    await send("third.txt", inner.id);
    assert.deepEqual(await links(), []);
  });

  test("is deleted with everything in it, or not at all", async () => {
    const { key } = await addAccount(server);
    const client = clientOf(server, { key });
    const outer = await make(key, "outer");
    const inner = await make(key, "inner", outer.id);
    const send = (name: string, folderId: string) => upload(server, { name, bytes: name, fields: { folderId } }, { key });
    const [first, second] = [await send("first.txt", outer.id), await send("second.txt", inner.id)];
    const kept = await upload(server, { name: "kept.txt", bytes: "kept" }, { key });
    const { shortId } = (await client.call("shareFiles", { fileIds: [second.id, kept.id] })).data;
    assert.deepEqual((await client.call("listFileIds", { folderId: outer.id, recursive: true })).data, {
      ids: [first.id, second.id],
      linkedIds: [second.id],
      links: [],
    });
    await client.call("updateShareSettings", { fileId: second.id, immutable: true });
    const recursive = { method: "DELETE", path: `/api/folders/${outer.id}?recursive=true` };
    assertRefused(await call(server, recursive.method, recursive.path, { key }), { status: 409, code: "IMMUTABLE" });
    assert.deepEqual(await names(key), ["inner", "outer"]);
    await client.call("updateShareSettings", { fileId: second.id, immutable: false });
    assert.deepEqual((await client.call("deleteFolder", { id: outer.id, recursive: true })).data, { id: outer.id, deletedFiles: 2 });
    assert.deepEqual(await names(key), []);
    for (const { id } of [first, second])
      assertRefused(await call(server, "GET", `/api/files/${id}/details`, { key }), { status: 404, code: "NOT_FOUND" });
    const { data: share } = await clientOf(server).call("getShare", { shortId });
    assert.deepEqual(
      share.files?.map(({ name }) => name),
      ["kept.txt"],
    );
  });

  test("refuses invalid fields, missing keys and other accounts", async () => {
    const [ada, bob] = [await addAccount(server), await addAccount(server)];
    const theirs = await make(bob.key, "theirs");
    const mine = await make(ada.key, "mine");
    for (const json of [{}, { name: "" }, { name: "   " }, { name: "x".repeat(201) }, { name: 7 }, { name: "a", parentId: "nope" }]) {
      assertRefused(await post(ada.key, json), { status: 400, code: "VALIDATION_FAILED" });
    }
    assert.equal((await make(ada.key, "x".repeat(200))).name.length, 200);
    assert.equal((await make(ada.key, "a\u0000\u001b[31mb\u202e")).name, "a[31mb");
    const unknown = crypto.randomUUID();
    for (const id of [theirs.id, unknown]) {
      assertRefused(await post(ada.key, { name: "a", parentId: id }), { status: 404, code: "NOT_FOUND" });
      assertRefused(await patch(ada.key, mine.id, { parentId: id }), { status: 404, code: "NOT_FOUND" });
      assertRefused(await patch(ada.key, id, { name: "a" }), { status: 404, code: "NOT_FOUND" });
      assertRefused(await remove(ada.key, id), { status: 404, code: "NOT_FOUND" });
      assertRefused(await call(server, "GET", `/api/folders/list?parentId=${id}`, { key: ada.key }), { status: 404, code: "NOT_FOUND" });
      assertRefused(await call(server, "GET", `/api/files/list?folderId=${id}`, { key: ada.key }), { status: 404, code: "NOT_FOUND" });
      assertRefused(await postUpload(server, { bytes: "x", fields: { folderId: id } }, { key: ada.key }), {
        status: 404,
        code: "NOT_FOUND",
      });
    }
    for (const query of [
      "?page=0",
      "?page=-1",
      "?page=x",
      "?page=1.5",
      "?limit=0",
      "?limit=x",
      "?parentId=x",
      `?search=${"x".repeat(201)}`,
    ]) {
      assertRefused(await call(server, "GET", `/api/folders/list${query}`, { key: ada.key }), { status: 400, code: "VALIDATION_FAILED" });
    }
    for (const [method, path] of [
      ["GET", "/api/folders/list"],
      ["POST", "/api/folders"],
      ["PATCH", `/api/folders/${mine.id}`],
      ["DELETE", `/api/folders/${mine.id}`],
    ] as const) {
      assertRefused(await call(server, method, path, method === "GET" ? {} : { json: { name: "a" } }), {
        status: 401,
        code: "UNAUTHENTICATED",
      });
    }
    assert.deepEqual(await names(bob.key), ["theirs"]);
  });
});
