import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { reservePort } from "../support/free-ports.ts";
import type { TestServer } from "../support/server.ts";
import { addAccount } from "./support/accounts.ts";
import { clientOf, listFiles, upload } from "./support/api.ts";
import { startPlainServer } from "./support/plain-server.ts";

/** pages, "The files of an account"; addresses, "Base addresses". */
describe("the pages of an account's files, without JavaScript", () => {
  let server: TestServer;
  let session: string;
  before(async () => {
    const port = await reservePort();
    // The API is at the root, where it has operations beside the paths of pages.
    server = await startPlainServer({ FILEHOST_LISTEN: `127.0.0.1:${port}`, FILEHOST_BASE_URL: `http://127.0.0.1:${port}` });
    const person = { email: "ada@example.org", password: "correct horse battery", name: "Ada" };
    session = (await clientOf(server).call("signUp", person)).data.sessionToken;
  });
  after(() => server[Symbol.asyncDispose]());

  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { redirect: "manual", headers: { Accept: "text/html", Cookie: `session=${session}`, ...headers } });
  const send = (path: string, fields: Record<string, string>, origin = `http://localhost:${new URL(server.url).port}`) =>
    fetch(server.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { Accept: "text/html", Cookie: `session=${session}`, Origin: origin },
      body: new URLSearchParams(fields),
    });
  const makeFolder = async (name: string): Promise<string> =>
    (await clientOf(server, { key: session }).call("createFolder", { name })).data.id;

  test("ask who is not signed in to sign in first, and come back", async () => {
    for (const path of [
      "/files?sort=name",
      "/files/get/5hQ2vR8kLm3xTz0B",
      "/files/0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
      "/files/runs/build-42",
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
    assert.match(await (await ask("/files?q=A%20%26")).text(), /1 file found/);
    assert.match(await (await ask("/files/runs/build-42")).text(), /Run build-42.*1 file/s);
    assert.equal((await ask("/files/0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e")).status, 404);
    assert.equal((await ask("/files/unknown")).status, 404);
  });

  test("create a folder, and delete files and folders after a question", async () => {
    const created = await send("/files", { action: "createFolder", name: "Letters" });
    assert.deepEqual([created.status, created.headers.get("location")], [303, "/files"]);
    const { data } = await clientOf(server, { key: session }).call("listFolders", { search: "letters" });
    const folder = data[0]?.id ?? assert.fail();
    const file = await upload(server, { name: "to delete.txt", bytes: "x", fields: { folderId: folder } }, { key: session });
    const refused = await send("/files", { action: "delete", folder });
    assert.equal(refused.status, 409);
    assert.match(await refused.text(), /role="alert"/);
    const asked = await (await send(`/files/${folder}`, { action: "askDelete", file: file.id })).text();
    assert.match(asked, /Delete this file\?.*to delete/s);
    assert.equal((await listFiles(server, session, { folderId: folder })).files.length, 1);
    const deleted = await send(`/files/${folder}`, { action: "delete", file: file.id });
    assert.match(await deleted.text(), /Deleted 1 item\./);
    assert.match(await (await send("/files", { action: "askDelete", folder })).text(), /Delete this folder\?.*Letters/s);
    assert.equal((await send("/files", { action: "delete", folder })).status, 200);
    assert.equal((await ask(`/files/${folder}`)).status, 404);
  });

  test("refuse forms of other sites, and another account's files", async () => {
    const other = await addAccount(server);
    const foreign = await upload(server, { name: "private.txt", bytes: "x" }, other);
    for (const action of ["askDelete", "delete"]) {
      const response = await send("/files", { action, file: foreign.id });
      assert.deepEqual([response.status, (await response.text()).includes("private.txt")], [404, false]);
    }
    assert.equal((await ask(`/files/get/${foreign.id}`)).status, 404);
    const own = await upload(server, { name: "mine.txt", bytes: "x" }, { key: session });
    assert.equal((await send("/files", { action: "delete", file: own.id }, "https://evil.example")).status, 403);
    assert.equal((await listFiles(server, other.key)).files.length, 1);
  });
});
