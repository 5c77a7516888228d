import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { askShare, assertRefused, call, clientOf, deleteFile, getShare, postUpload, upload } from "../support/api/api.ts";
import { callTool, connectMcp } from "../support/api/mcp.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { changeSettings, patchSettings, unlock } from "../support/shares/shares.ts";
import { complete, init, sendParts, someBytes } from "../support/uploads/multipart.ts";

/** sharing, "Aliases". */
describe("a link with the alias of a share", () => {
  let server: ServerWith<"owner" | "other">;
  before(async () => {
    server = await withAccounts(startPlainServer({ FILEHOST_LIMITS: '{"rates":{"aliases":1000}}' }), { owner: {}, other: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const share = (fields: Record<string, string> = {}) => upload(server, { bytes: "hello", fields }, { key: server.owner.key });
  const setAlias = (shortId: string, alias: string | null) => changeSettings(server, { shortId, alias }, server.owner.key);
  /** Opens a page as a browser does, without following redirects. */
  const open = (path: string) => fetch(server.url + path, { headers: { Accept: "text/html" }, redirect: "manual" });
  const bodyOf = async (response: Response): Promise<string> => (await response.text()).replaceAll(/nonce="[^"]*"|[0-9a-f-]{36}/g, "");

  test("opens the share in any case, and its short ID stays", async () => {
    const { shortId } = await share();
    assert.equal((await setAlias(shortId, "Trip-To-Rome")).alias, "trip-to-rome");
    for (const path of ["/d/trip-to-rome", "/d/TRIP-to-rome"]) {
      const response = await open(`${path}?sort=name`);
      assert.deepEqual([response.status, response.headers.get("location")], [302, `/d/${shortId}?sort=name`]);
    }
    assert.equal((await open(`/d/${shortId}`)).status, 200);
    assert.equal((await getShare(server, "Trip-to-Rome")).short_id, shortId);
  });

  test("works on every route of the share", async () => {
    const { shortId, unlockCode } = await share({ alias: "all-routes", protect: "true" });
    assertRefused(await call(server, "GET", "/api/files/share/all-routes/archive"), { status: 403, code: "UNLOCK_REQUIRED" });
    assert.equal((await open("/d/all-routes/download")).status, 302);
    assert.equal((await open("/report/all-routes")).status, 200);
    const { unlockToken, ...unlocked } = await unlock(server, { shortId: "all-routes", unlockCode });
    assert.equal(unlocked.shortId, shortId);
    const { url } = await clientOf(server).call("authorizeArchive", { shortId: "all-routes", unlockToken });
    assert.equal((await fetch(url)).status, 200);
    const owner = clientOf(server, { key: server.owner.key });
    assert.equal((await owner.call("listShareDownloads", { shortId: "all-routes" })).data.length, 1);
    assert.equal((await owner.call("closeShare", { shortId: "All-Routes" })).data.shortId, shortId);
    assertRefused(await askShare(server, "all-routes"), { status: 404, code: "NOT_FOUND" });
  });

  test("is shown in place of the short ID wherever the share's link is", async () => {
    const created = (await clientOf(server, { key: server.owner.key }).call("createShare", { alias: "new-link", title: "New" })).data;
    assert.deepEqual([created.sharePath, created.shareUrl.endsWith("/d/new-link")], ["/d/new-link", true]);
    const file = await share({ alias: "of-file" });
    assert.equal(file.sharePath, "/d/of-file");
    const owner = clientOf(server, { key: server.owner.key });
    assert.equal((await owner.call("getFile", { fileId: file.id })).data.sharePath, "/d/of-file");
    const { data } = await owner.call("listShares", {});
    assert.deepEqual(
      data.filter(({ alias }) => alias === "of-file" || alias === "new-link").map(({ sharePath }) => sharePath),
      ["/d/of-file", "/d/new-link"],
    );
    const shared = await owner.call("shareFiles", { fileIds: [file.id], alias: "second-link" });
    assert.equal(shared.data.sharePath, "/d/second-link");
    assert.match(await (await open(`/d/${file.shortId}`)).text(), /\/d\/of-file/);
  });

  test("is taken from the start of an upload in parts, and leads on after the share has joined a shipment", async () => {
    const { key } = server.owner;
    const bytes = someBytes(100);
    const session = await init(server, { fileSize: bytes.length, alias: "in-parts" }, { key });
    assert.ok(session.shareUrl.endsWith("/d/in-parts"));
    const refused = await call(server, "POST", "/api/files/multipart/init", {
      json: { fileName: "a.bin", fileSize: 1, alias: "in-parts" },
      key: server.other.key,
    });
    assertRefused(refused, { status: 409, code: "ALIAS_TAKEN" });
    await sendParts(server, session, bytes, { key });
    const shipment = await upload(server, { bytes: "first", fields: { openShare: "true" } }, { key });
    const file = await complete(server, session, { shareShortId: shipment.shortId }, { key });
    assert.equal((await getShare(server, "in-parts")).short_id, file.shortId);
    await setAlias(file.shortId, null);
    assert.equal((await open("/d/in-parts")).status, 404);
    const second = await init(server, { fileSize: bytes.length }, { key });
    await sendParts(server, second, bytes, { key });
    assert.equal((await complete(server, second, { alias: "at-end" }, { key })).sharePath, "/d/at-end");
  });

  test("an alias that nobody has and the alias of a deleted share are unknown as other IDs are", async () => {
    const { id } = await share({ alias: "to-delete" });
    await deleteFile(server, { fileId: id }, server.owner);
    const unknown = await open("/d/aaaaaaaa");
    const expected = [unknown.status, (await bodyOf(unknown)).replaceAll("aaaaaaaa", "")];
    for (const alias of ["never-chosen", "to-delete"]) {
      const response = await open(`/d/${alias}`);
      assert.deepEqual([response.status, (await bodyOf(response)).replaceAll(alias, "")], expected);
      assertRefused(await askShare(server, alias), { status: 404, code: "NOT_FOUND" });
    }
  });

  test("an empty field of a form chooses none", async () => {
    const form = new FormData();
    form.set("alias", "");
    form.set("file", new File(["hello"], "a.txt"));
    const headers = { Authorization: `Bearer ${server.owner.key}`, Accept: "application/json" };
    const response = await fetch(server.url, { method: "POST", body: form, headers });
    assert.equal(response.status, 200, await response.text());
  });

  test("is chosen and opened with the tools of MCP", async () => {
    await using owner = await connectMcp(server, { era: "a session", key: server.owner.key });
    const sent = await callTool(owner, "upload", { contentBase64: btoa("by a tool"), fileName: "a.txt", alias: "by-a-tool" });
    assert.equal(sent.data.sharePath, "/d/by-a-tool");
    const { data } = await callTool(owner, "get_download_url", { link: `${server.url}/d/By-A-Tool` });
    assert.equal(await (await fetch(String(data.url))).text(), "by a tool");
    const changed = await callTool(owner, "update_share_settings", { shortId: "by-a-tool", alias: "renamed-it" });
    assert.equal(changed.data.alias, "renamed-it");
  });

  test("is given to one account only, and only to accounts", async () => {
    const mine = await share({ alias: "only-mine" });
    const others = await upload(server, { bytes: "x" }, { key: server.other.key });
    const ask = (alias: unknown) => patchSettings(server, { shortId: others.shortId, alias }, server.other.key);
    assertRefused(await ask("only-mine"), { status: 409, code: "ALIAS_TAKEN" });
    assertRefused(await ask("ONLY-mine"), { status: 409, code: "ALIAS_TAKEN" });
    await setAlias(mine.shortId, null);
    assertRefused(await ask("only-mine"), { status: 409, code: "ALIAS_TAKEN" });
    for (const wrong of ["short", "a-b", "-ab-cd", "ab-cd-", "ab--cd", "a-name-that-is-too-long", "über-uns", "a_b-c", "sign-in", "", 5])
      assertRefused(await ask(wrong), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await postUpload(server, { bytes: "x", fields: { alias: "without-key" } }), { status: 401, code: "UNAUTHENTICATED" });
    const anonymous = await upload(server, { bytes: "x" });
    const claimToken = anonymous.claimToken ?? "";
    assertRefused(await patchSettings(server, { shortId: anonymous.shortId, claimToken, alias: "with-token" }), {
      status: 403,
      code: "FORBIDDEN",
    });
  });

  test("shows a takedown like the short ID, and the audit log does not contain the alias", async () => {
    const { shortId } = await share({ alias: "taken-down" });
    const { code, stderr } = await server.run(["takedown", "taken-down", "--yes"]);
    assert.equal(code, 0, stderr);
    const response = await open("/d/taken-down");
    assert.deepEqual([response.status, response.headers.get("location")], [302, `/d/${shortId}`]);
    assert.equal((await open(`/d/${shortId}`)).status, 451);
    const log = await withDatabase(server, (db) => db.selectFrom("audit_log").select("details").execute());
    assert.ok(!JSON.stringify(log).includes("trip-to-rome"));
  });
});
