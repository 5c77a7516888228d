import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf, type ServerWithSession, startRootApiServer } from "../support/accounts/person.ts";
import { clientOf, listFiles, upload } from "../support/api/api.ts";
import { withDatabase } from "../support/servers/state.ts";
import { insertFiles } from "../support/uploads/many-files.ts";

/** pages, "The files of an account"; addresses, "Base addresses". */
describe("the pages of an account's files, without JavaScript", () => {
  let server: ServerWithSession;
  let session: string;
  before(async () => {
    server = await startRootApiServer();
    ({ session } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { redirect: "manual", headers: { Accept: "text/html", Cookie: `session=${session}`, ...headers } });
  /** What the page's script sends: an operation, with the session's cookie. */
  const operate = (method: string, path: string, json: object, origin = homeOf(server)) =>
    fetch(server.url + path, {
      method,
      headers: { Accept: "application/json", "Content-Type": "application/json", Cookie: `session=${session}`, Origin: origin },
      body: JSON.stringify(json),
    });
  const makeFolder = async (name: string): Promise<string> =>
    (await clientOf(server, { key: session }).call("createFolder", { name })).data.id;

  test("ask a person without a session to sign in first, and return", async () => {
    for (const path of [
      "/files?sort=name",
      "/files/get/5hQ2vR8kLm3xTz0B",
      "/files/0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
      "/files/runs/build-42",
      "/files/details/5hQ2vR8kLm3xTz0B",
    ]) {
      const { status, headers } = await ask(path, { Cookie: "" });
      assert.deepEqual([status, headers.get("location")], [303, `/signin?next=${encodeURIComponent(path)}`]);
    }
  });

  test("list folders and files, in the chosen order, with their downloads", async () => {
    const folderId = await makeFolder("Reports <b>");
    const first = await upload(server, { name: "b.txt", bytes: "hello", fields: { folderId, runId: "build-42" } }, { key: session });
    await upload(server, { name: "a & b.txt", bytes: "x", fields: { folderId } }, { key: session });
    const root = await (await ask("/files")).text();
    assert.match(root, new RegExp(`href="/files/${folderId}"[^>]*>.*Reports &lt;b`));
    const page = await (await ask(`/files/${folderId}?sort=name&order=desc`)).text();
    assert.ok(page.indexOf("b.txt</bdi>") < 0 && page.indexOf(first.sharePath) < page.lastIndexOf("a &amp; b"));
    assert.ok(page.includes(`href="/files/get/${first.id}"`) && !page.includes("/dl/"));
    const { status, headers } = await ask(`/files/get/${first.id}`);
    assert.equal(status, 302);
    assert.equal(await (await fetch(headers.get("location") ?? "")).text(), "hello");
    assert.match(await (await ask("/files?q=A%20%26")).text(), /1\sfile found/);
    assert.match(await (await ask("/files/runs/build-42")).text(), /Sent by a program: build-42.*1\sfile/s);
    assert.equal((await ask("/files/0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e")).status, 404);
    assert.equal((await ask("/files/unknown")).status, 404);
  });

  test("explain what needs JavaScript, in a list whose only form is the search, with a link to each page", async () => {
    const folderId = await makeFolder("Many");
    for (const path of ["/files", `/files/${folderId}`]) {
      const page = await (await ask(path)).text();
      assert.match(page, /<p class="quiet without-scripts">Uploading, sharing, .* need JavaScript\./);
      assert.doesNotMatch(page, /method="post"(?![^>]*action="\/signout")|type="(checkbox|file)"/);
    }
    const many = { email: "grace@example.org", password: "correct horse battery", name: "Grace" };
    const { sessionToken } = (await clientOf(server).call("signUp", many)).data;
    const { owner } = (await clientOf(server, { key: sessionToken }).call("getMe", {})).data;
    await withDatabase(server, (db) => insertFiles(db, owner.id, 101));
    const last = await (await ask("/files?page=2", { Cookie: `session=${sessionToken}` })).text();
    assert.match(last, /Page 2 of 2/);
    assert.equal(last.match(/class="files-link"/g)?.length, 1);
  });

  test("lead from a file's details to its folder's list, in which the script shows it", async () => {
    const folderId = await makeFolder("Letters");
    const inside = await upload(server, { name: "in.txt", bytes: "x", fields: { folderId } }, { key: session });
    const outside = await upload(server, { name: "out.txt", bytes: "x" }, { key: session });
    for (const [file, path] of [
      [inside, `/files/${folderId}?file=${inside.id}`],
      [outside, `/files?file=${outside.id}`],
    ] as const) {
      const { status, headers } = await ask(`/files/details/${file.id}`);
      assert.deepEqual([status, headers.get("location")], [302, path]);
      assert.ok((await (await ask(path)).text()).includes(`href="/files/get/${file.id}"`));
    }
  });

  test("accept no forms", async () => {
    const file = await upload(server, { name: "stays.txt", bytes: "x" }, { key: session });
    for (const path of ["/files", `/files/${await makeFolder("Forms")}`, `/files/details/${file.id}`]) {
      const { status } = await fetch(server.url + path, {
        method: "POST",
        redirect: "manual",
        headers: { Accept: "text/html", Cookie: `session=${session}`, Origin: homeOf(server) },
        body: new URLSearchParams({ action: "delete", file: file.id }),
      });
      assert.equal(status, 405, path);
    }
    assert.equal((await ask(`/files/get/${file.id}`)).status, 302);
  });

  test("do not let other sites or another account's script manage the files", async () => {
    const other = await addAccount(server);
    const foreign = await upload(server, { name: "private.txt", bytes: "x" }, other);
    const own = await upload(server, { name: "mine.txt", bytes: "x" }, { key: session });
    const requests = (fileId: string): readonly (readonly [string, string, object])[] => [
      ["POST", "/files/delete-many", { fileIds: [fileId] }],
      ["POST", "/files/move", { fileIds: [fileId], folderIds: [], folderId: null }],
      ["POST", "/files/share", { fileIds: [fileId], move: true }],
      ["POST", "/files/archive", { fileIds: [fileId], folderIds: [] }],
      ["PATCH", `/files/${fileId}/details`, { name: "renamed.txt" }],
      ["PATCH", "/files/share-settings", { fileId, title: "Mine" }],
    ];
    for (const [method, path, json] of requests(own.id))
      assert.equal((await operate(method, path, json, "https://evil.example")).status, 403, path);
    for (const [method, path, json] of requests(foreign.id)) {
      const response = await operate(method, path, json);
      const text = await response.text();
      if (path === "/files/delete-many") assert.match(text, /"NOT_FOUND"/);
      else assert.equal(response.status, 404, path);
      assert.ok(!text.includes("private.txt"), path);
    }
    for (const path of ["get", "details"]) assert.equal((await ask(`/files/${path}/${foreign.id}`)).status, 404);
    const names = async (key: string) => (await listFiles(server, key)).files.map(({ name }) => name);
    assert.deepEqual([await names(other.key), (await names(session)).includes("mine.txt")], [["private.txt"], true]);
  });
});
