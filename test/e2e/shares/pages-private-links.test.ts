import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { hiddenField, type ProtectedUpload, postForm, setScanning, uploadProtected, uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { changeSettings, credentialsIn } from "../support/shares/shares.ts";

/** sharing, "Protection"; downloads, "Archives". */
describe("pages of private links and of shipments", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const pathOf = ({ handoffUrl }: Pick<ProtectedUpload, "handoffUrl">): string => new URL(handoffUrl).pathname;
  const open = async (path: string) => {
    const response = await fetch(server.url + path, { headers: { Accept: "text/html" } });
    return { status: response.status, headers: response.headers, html: await response.text() };
  };

  test("a private link shows the message and downloads without a code", async () => {
    const handoffMessage = "Hi,\n<b>see</b> https://example.org & page 4";
    const share = await uploadProtected(server, { name: "deal.txt", fields: { handoffMessage } });
    const { status, headers, html } = await open(pathOf(share));
    assert.equal(status, 200);
    assert.equal(headers.get("referrer-policy"), "same-origin");
    assert.equal(headers.get("x-robots-tag"), "noindex, nofollow");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.match(html, /<blockquote dir="auto">Hi,\r?\n&lt;b>see&lt;\/b> https:\/\/example\.org &amp; page 4<\/blockquote>/);
    assert.doesNotMatch(html, /<form class="unlock"/);
    const handoffToken = hiddenField(html, "handoffToken") ?? "";
    assert.equal(`/h/${handoffToken}`, pathOf(share));
    const response = await postForm(server, `${share.sharePath}/download`, { fileId: share.id, handoffToken });
    assert.equal(response.status, 303);
    assert.equal(await (await fetch(response.headers.get("location") ?? "")).text(), "the bytes");
    assert.doesNotMatch((await open(share.sharePath)).html, /blockquote/);
  });

  test("opening a private link counts no download, and the log contains no token", async () => {
    const share = await uploadProtected(server, { fields: { once: "true" } });
    for (const method of ["GET", "HEAD"]) assert.equal((await fetch(server.url + pathOf(share), { method })).status, 200);
    assert.match((await open(pathOf(share))).html, /One download only/);
    assert.doesNotMatch(JSON.stringify(server.logs()), new RegExp(pathOf(share).slice("/h/".length)));
  });

  test("the page of an unknown, replaced, expired or taken-down private link explains the reason", async () => {
    const share = await uploadProtected(server, {}, { key: server.owner.key });
    const change = async (fields: { protect: true }) =>
      credentialsIn(await changeSettings(server, { fileId: share.id, ...fields }, server.owner.key));
    const assertGone = async (path: string, { status = 404, says = /This private link does not work/ } = {}) => {
      const { status: actual, html } = await open(path);
      assert.equal(actual, status);
      assert.match(html, says);
      assert.doesNotMatch(html, /note\.txt/);
    };
    await assertGone("/h/ho_nothing");
    const rotated = await change({ protect: true });
    await assertGone(pathOf(share));
    assert.equal((await open(pathOf(rotated))).status, 200);
    const again = await change({ protect: true });
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1 })
        .where("short_id", "=", share.shortId)
        .execute(),
    );
    await assertGone(pathOf(again), { says: /expired/ });
    const takenDown = await uploadProtected(server, {}, { key: server.owner.key });
    assert.equal((await server.run(["takedown", takenDown.shortId])).code, 0);
    await assertGone(pathOf(takenDown), { status: 451, says: /removed|takenDown down/i });
    const other = await uploadProtected(server, {}, { key: server.owner.key });
    await changeSettings(server, { fileId: other.id, protect: false }, server.owner.key);
    await assertGone(pathOf(other));
  });

  test("the page of a private link reloads itself while the file is scanned", async () => {
    const share = await uploadProtected(server);
    await setScanning(server, share.shortId, true);
    const { html } = await open(pathOf(share));
    assert.match(html, /data-refresh/);
    assert.match(html, /http-equiv="refresh"/);
    assert.match(html, /type="submit" disabled/);
    await setScanning(server, share.shortId, false);
    assert.doesNotMatch((await open(pathOf(share))).html, /data-refresh|disabled/);
  });

  test("a shipment downloads file by file and as one archive", async () => {
    const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "docs/b.txt", "docs/c.txt"] });
    const { html } = await open(share.sharePath);
    assert.match(html, /3\sfiles.*Download all <span class="aside">ZIP/s);
    const one = await postForm(server, `${share.sharePath}/download`, { fileId: share.id });
    assert.equal(one.status, 303);
    const { status, headers } = await postForm(server, `${share.sharePath}/archive`, {});
    assert.equal(status, 303);
    const archive = await fetch(headers.get("location") ?? "");
    assert.equal(archive.headers.get("content-type"), "application/zip");
    const bytes = Buffer.from(await archive.arrayBuffer());
    for (const text of ["a.txt", "docs/b.txt", "bytes of docs/c.txt"]) assert.ok(bytes.includes(text), text);
  });

  test("the archive of a protected shipment requires the unlock token or the handoff token", async () => {
    const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt"], fields: { protect: "true" } });
    const archive = (fields: Record<string, string>) => postForm(server, `${share.sharePath}/archive`, fields);
    const refused = await archive({});
    assert.equal(refused.status, 403);
    assert.match(refused.html, /Enter the code first/);
    const { html } = await postForm(server, `${share.sharePath}/unlock`, { unlockCode: share.unlockCode ?? "" });
    assert.equal((await archive({ unlockToken: hiddenField(html, "unlockToken") ?? "" })).status, 303);
    const privateLink = await open(new URL(share.handoffUrl ?? "").pathname);
    assert.equal(privateLink.html.match(/name="handoffToken"/g)?.length, 1);
    assert.equal((await archive({ handoffToken: hiddenField(privateLink.html, "handoffToken") ?? "" })).status, 303);
    assert.equal((await archive({ handoffToken: "ho_wrong" })).status, 403);
  });

  test("a file that is not part of the share is not found", async () => {
    const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt"] });
    const other = await uploadShipment(server, { key: server.owner.key, paths: ["b.txt"] });
    assert.equal((await postForm(server, `${share.sharePath}/download`, { fileId: other.id })).status, 404);
  });
});
