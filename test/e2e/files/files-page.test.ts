import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { reservePort } from "../../support/free-ports.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts.ts";
import { clientOf, listFiles, upload } from "../support/api.ts";
import { startPlainServer } from "../support/plain-server.ts";

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
  const send = (
    path: string,
    fields: Record<string, string> | [string, string][] | FormData,
    origin = `http://localhost:${new URL(server.url).port}`,
  ) =>
    fetch(server.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { Accept: "text/html", Cookie: `session=${session}`, Origin: origin },
      body: fields instanceof FormData ? fields : new URLSearchParams(fields),
    });
  const makeFolder = async (name: string): Promise<string> =>
    (await clientOf(server, { key: session }).call("createFolder", { name })).data.id;

  test("ask who is not signed in to sign in first, and come back", async () => {
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

  test("move, rename, share and delete what is chosen", async () => {
    const [from, to] = [await makeFolder("From"), await makeFolder("To & fro")];
    const inside = (await clientOf(server, { key: session }).call("createFolder", { name: "Inside", parentId: from })).data.id;
    const files = await Promise.all(
      ["one.txt", "two.txt"].map((name) => upload(server, { name, bytes: name, fields: { folderId: from } }, { key: session })),
    );
    const [one, two] = files.map(({ id }) => id);
    const path = `/files/${from}`;
    const chosen: [string, string][] = [
      ["file", one ?? ""],
      ["file", two ?? ""],
      ["folder", inside],
    ];
    const act = async (action: string, entries = chosen, more: [string, string][] = []): Promise<Response> =>
      await send(path, [["action", action], ...entries, ...more]);
    const page = await (await ask(path)).text();
    assert.ok(page.includes(`<input type="checkbox" name="file" value="${one}"`) && page.includes(`name="folder" value="${inside}"`));

    const moving = await (await act("askMove")).text();
    assert.ok(moving.includes(`<option value="${to}">To &amp; fro</option>`) && moving.includes(`value="${from}"`));
    assert.ok(!moving.includes("From / Inside"), "a folder is offered to itself");
    assert.match(await (await act("move", chosen, [["to", to]])).text(), /Moved 3 items\./);
    const { files: moved } = await listFiles(server, session, { folderId: to });
    assert.deepEqual(moved.map(({ id }) => id).sort(), [one, two].sort());
    assert.equal((await act("move", chosen, [["to", inside]])).status, 409);

    const renaming = await (await act("askRename", [["file", one ?? ""]])).text();
    assert.match(renaming, /name="name" value="one\.txt"/);
    assert.match(await (await act("rename", [["file", one ?? ""]], [["name", "eins.txt"]])).text(), /Renamed\./);
    assert.match(await (await act("rename", [["folder", inside]], [["name", "Innen"]])).text(), /Renamed\./);
    assert.match(await (await act("askRename")).text(), /Select only one/);
    assert.equal((await act("rename", [["file", one ?? ""]], [["name", ""]])).status, 400);
    assert.deepEqual((await listFiles(server, session, { folderId: to })).files.map(({ name }) => name).sort(), ["eins.txt", "two.txt"]);

    const archive = await act("archive");
    assert.equal(archive.status, 303);
    assert.equal((await fetch(archive.headers.get("location") ?? "")).headers.get("content-type"), "application/zip");
    assert.match(await (await act("askShare", [["file", one ?? ""]])).text(), /Share 1 item.*eins/s);
    const shared = await (await act("share", chosen, [["title", "Both"]])).text();
    const shareUrl = /href="([^"]*\/d\/[^"]+)"/.exec(shared)?.[1] ?? assert.fail(shared);
    assert.match(await (await fetch(shareUrl, { headers: { Accept: "text/html" } })).text(), /Both/);

    assert.match(await (await act("askDelete")).text(), /Delete 3 items\?/);
    assert.match(await (await act("delete")).text(), /Deleted 3 items\./);
    assert.equal((await listFiles(server, session, { folderId: to })).files.length, 0);
    assert.match(await (await act("askDelete", [])).text(), /Select files or folders first/);
  });

  test("keep what cannot be deleted, and say why", async () => {
    const file = await upload(server, { name: "fixed.txt", bytes: "x" }, { key: session });
    const other = await upload(server, { name: "free.txt", bytes: "x" }, { key: session });
    await clientOf(server, { key: session }).call("updateShareSettings", { fileId: file.id, immutable: true });
    const response = await send("/files", [
      ["action", "delete"],
      ["file", file.id],
      ["file", other.id],
    ]);
    assert.equal(response.status, 409);
    assert.match(await response.text(), /Not deleted: 1 item\. This cannot be changed any more\./);
    const ids = (await listFiles(server, session)).files.map(({ id }) => id);
    assert.deepEqual([ids.includes(file.id), ids.includes(other.id)], [true, false]);
  });

  test("are deleted at most 1,000 together", async () => {
    const remove = (count: number): Promise<Response> =>
      send("/files", [["action", "delete"], ...Array.from({ length: count }, (_, n) => ["file", `unknown${n}`] as [string, string])]);
    assert.deepEqual([(await remove(1000)).status, (await remove(1001)).status], [404, 400]);
  });

  test("upload into the open folder, with one link for all files", async () => {
    const folder = await makeFolder("Inbox");
    const sendFiles = async (path: string, names: readonly string[], origin?: string): Promise<Response> => {
      const form = new FormData();
      for (const name of names) form.append("file", new Blob([`bytes of ${name}`]), name);
      return await send(path, form, origin);
    };
    const sent = await sendFiles(`/files/${folder}`, ["a.txt", "b.txt"]);
    assert.deepEqual([sent.status, sent.headers.get("location")], [303, `/files/${folder}?done=uploaded`]);
    const { files } = await listFiles(server, session, { folderId: folder });
    assert.deepEqual(files.map(({ name }) => name).sort(), ["a.txt", "b.txt"]);
    assert.equal(new Set(files.map(({ shortId }) => shortId)).size, 1);
    assert.match(await (await ask(`/files/${folder}?done=uploaded`)).text(), /role="status"[^>]*>(<svg.*?<\/svg>)?Uploaded\./);
    assert.equal((await sendFiles("/files", ["root.txt"])).status, 303);
    assert.ok((await listFiles(server, session, { folderId: "null" })).files.some(({ name }) => name === "root.txt"));
    assert.equal((await sendFiles(`/files/${crypto.randomUUID()}`, ["lost.txt"])).status, 404);
    assert.equal((await sendFiles("/files", ["evil.txt"], "https://evil.example")).status, 403);
    const empty = await send("/files", new FormData());
    assert.deepEqual([empty.status, /No file was sent/.test(await empty.text())], [400, true]);
  });

  test("change each setting of a file's share, and only those that were changed", async () => {
    const { id, name } = await upload(server, { name: "plan <b>.txt", bytes: "x", fields: { title: "Old" } }, { key: session });
    const path = `/files/details/${id}`;
    const client = clientOf(server, { key: session });
    const details = async () => (await client.call("getFile", { fileId: id })).data;
    assert.match(await (await ask("/files")).text(), new RegExp(`href="${path}"`));
    const page = await (await ask(path)).text();
    assert.ok(page.includes("plan &lt;b") && page.includes('value="Old"') && !page.includes(name));
    const { expiresAt } = await details();
    const shown = { action: "save", title: "Old", message: "", handoffMessage: "", downloads: "", notify: "" };
    const unchanged = await send(path, { ...shown, expires: expiresAt?.slice(0, 16) ?? "" });
    assert.deepEqual([unchanged.status, unchanged.headers.get("location")], [303, `${path}?done=saved`]);
    assert.equal((await details()).expiresAt, expiresAt);

    const expires = new Date(Date.now() + 36 * 3_600_000).toISOString().slice(0, 16);
    const changed = { ...shown, title: "New", message: "Two\r\nlines", downloads: "3", notify: "true", expires, immutable: "on" };
    assert.equal((await send(path, changed)).status, 303);
    const saved = await details();
    assert.deepEqual(
      [saved.share.title, saved.share.message, saved.share.maxDownloads, saved.share.notify, saved.expiresAt, saved.immutable],
      ["New", "Two\nlines", 3, true, `${expires}:00.000Z`, true],
    );
    // An immutable file's form has only the fields that can be changed.
    assert.match(await (await ask(path)).text(), /name="title" value="New"[^>]* disabled/);
    assert.equal((await send(path, { action: "save", expires, downloads: "3", notify: "" })).status, 303);
    const open = await details();
    assert.deepEqual([open.immutable, open.share.notify, open.share.title], [false, null, "New"]);

    const protecting = await send(path, { action: "save", protect: "on", handoffMessage: "For you", downloads: "3", notify: "", expires });
    const secrets = await protecting.text();
    assert.match(secrets, /<code id="unlock-code">[A-Z0-9]{6}</);
    assert.match(secrets, /<code id="private-link">http[^<]*\/h\//);
    assert.equal(protecting.headers.get("content-encoding"), null);
    assert.equal((await details()).share.handoffMessage, "For you");
    assert.doesNotMatch(await (await ask(path)).text(), /id="unlock-code"/);
    const again = await (await send(path, { action: "newCode" })).text();
    assert.match(again, /<code id="unlock-code">/);

    const refused = await send(path, { action: "save", protect: "on", visibility: "on", downloads: "3", notify: "", expires });
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /needs a username/);
    assert.equal((await send(path, { action: "save", downloads: "none", protect: "on" })).status, 400);
  });

  test("name the files that a file was made from", async () => {
    const [file, source, twin] = await Promise.all(
      ["poster.pdf", "photo.jpg", "twin.jpg"].map((name) => upload(server, { name, bytes: name }, { key: session })),
    );
    await upload(server, { name: "twin.jpg", bytes: "other" }, { key: session });
    const foreign = await upload(server, { name: "foreign.jpg", bytes: "x" }, await addAccount(server));
    const path = `/files/details/${file?.id}`;
    const add = async (entered: string): Promise<[number, string]> => {
      const response = await send(path, { action: "addSource", source: entered });
      return [response.status, await response.text()];
    };
    assert.deepEqual(await add("photo.jpg"), [303, ""]);
    assert.deepEqual(await add(`${server.url}/files/details/${twin?.id}`), [303, ""]);
    for (const [entered, problem] of [
      ["twin.jpg", /Several files have this name/],
      ["unknown.jpg", /No other file has this name/],
      ["", /No other file has this name/],
      [foreign.id, /No other file has this name/],
    ] as const) {
      const [status, text] = await add(entered);
      assert.equal(status, 400, entered);
      assert.match(text, problem);
    }
    assert.equal((await add("poster.pdf"))[0], 404);
    const related = async () => (await clientOf(server, { key: session }).call("getFile", { fileId: file?.id ?? "" })).data.madeFrom;
    assert.deepEqual(
      (await related()).map(({ name }) => name),
      ["photo.jpg", "twin.jpg"],
    );
    assert.match(await (await ask(`/files/details/${source?.id}`)).text(), /Used in.*poster/s);
    assert.equal((await send(path, { remove: source?.id ?? "" })).status, 303);
    assert.deepEqual(
      (await related()).map(({ name }) => name),
      ["twin.jpg"],
    );
  });

  test("refuse forms of other sites, and another account's files", async () => {
    const other = await addAccount(server);
    const foreign = await upload(server, { name: "private.txt", bytes: "x" }, other);
    for (const action of ["askDelete", "delete", "askMove", "move", "askRename", "rename", "askShare", "share", "archive"]) {
      const response = await send("/files", { action, file: foreign.id, name: "mine.txt" });
      assert.deepEqual([response.status, (await response.text()).includes("private.txt")], [404, false]);
    }
    assert.equal((await ask(`/files/get/${foreign.id}`)).status, 404);
    assert.equal((await ask(`/files/details/${foreign.id}`)).status, 404);
    assert.equal((await send(`/files/details/${foreign.id}`, { action: "save", title: "Mine" })).status, 404);
    const own = await upload(server, { name: "mine.txt", bytes: "x" }, { key: session });
    assert.equal((await send("/files", { action: "delete", file: own.id }, "https://evil.example")).status, 403);
    assert.equal((await listFiles(server, other.key)).files.length, 1);
  });
});
