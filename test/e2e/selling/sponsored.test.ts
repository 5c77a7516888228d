import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { HOUR_MS } from "../../../src/lib/text/duration.ts";
import { until } from "../../support/until.ts";
import { addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { authorize, getShare, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { hiddenField, postForm, uploadProtected, uploadShipment } from "../support/pages/pages.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";
import { type SponsoringServer, startSponsoring } from "../support/servers/sponsored-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const FRAME = '<iframe src="/assets/sponsor.html"';

/** model, "Share metadata" (`sponsoredDelivery`). */
describe("sponsors and the download wait", () => {
  let server: SponsoringServer & ServerWith<"free" | "pro">;
  before(async () => {
    const starting = startSponsoring("<p>Buy <b>ropes</b></p>", { FILEHOST_DOWNLOAD_WAIT: "300" });
    server = await withAccounts(starting, { free: {}, pro: { tier: "pro" } });
    await holdScheduledCleanup(server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const open = async (path: string) => {
    const response = await fetch(server.url + path, { headers: { Accept: "text/html" } });
    return { status: response.status, policy: response.headers.get("content-security-policy") ?? "", html: await response.text() };
  };
  const isSponsored = async ({ shortId }: Upload): Promise<unknown> => (await getShare(server, shortId)).sponsoredDelivery;
  const countsOf = (file: Upload) =>
    withDatabase(server, async (db) => ({
      downloads: (await db.selectFrom("files").select("download_count").where("id", "=", file.id).executeTakeFirstOrThrow()).download_count,
      events: (await db.selectFrom("events").select("id").where("file_id", "=", file.id).where("type", "=", "file.authorized").execute())
        .length,
    }));

  test("both apply to anonymous files and to files and shipments of owners without Pro", async () => {
    const of = (key?: string): Promise<Upload> => upload(server, { bytes: "hello" }, { key });
    assert.equal(await isSponsored(await of()), true);
    assert.equal(await isSponsored(await of(server.free.key)), true);
    assert.equal(await isSponsored(await of(server.pro.key)), false);
    assert.equal(await isSponsored(await uploadShipment(server, { key: server.free.key, paths: ["a.txt", "b.txt"] })), true);
    assert.equal(await isSponsored(await uploadShipment(server, { key: server.pro.key, paths: ["a.txt", "b.txt"] })), false);
  });

  test("both apply again only when the grace of Pro has passed", async () => {
    const formerPro = await addAccount(server, { tier: "pro" });
    const file = await upload(server, { bytes: "hello", fields: { ttl: "20d" } }, { key: formerPro.key });
    const endPro = (agoMs: number) =>
      withDatabase(server, (db) =>
        db
          .updateTable("users")
          .set({ pro_until: Date.now() - agoMs })
          .where("id", "=", formerPro.userId)
          .execute(),
      );
    await endPro(23 * HOUR_MS);
    assert.equal(await isSponsored(file), false);
    assert.doesNotMatch((await open(file.sharePath)).html, /class="sponsor"|You can download in/);
    await endPro(25 * HOUR_MS);
    assert.equal(await isSponsored(file), true);
    assert.match((await open(file.sharePath)).html, /You can download in.*<iframe /s);
  });

  test("both appear on share pages and private links, and no other page may contain a frame", async () => {
    const file = await upload(server, { bytes: "hello" }, { key: server.free.key });
    const secret = await uploadProtected(server, {}, { key: server.free.key });
    for (const path of [file.sharePath, secret.sharePath, new URL(secret.handoffUrl).pathname]) {
      const { html, policy } = await open(path);
      assert.ok(html.includes(FRAME), path);
      assert.match(policy, /default-src 'none'.* frame-src 'self' /);
      assert.doesNotMatch(html, /ropes/);
    }
    const ofPro = await upload(server, { name: "a.bin", type: "application/octet-stream", bytes: "\0" }, { key: server.pro.key });
    for (const path of [ofPro.sharePath, "/", "/d/nothing1", "/h/nothing"]) {
      const { html, policy } = await open(path);
      assert.doesNotMatch(html, /iframe/, path);
      assert.match(policy, /default-src 'none'/);
      assert.doesNotMatch(policy, /frame-src/, path);
    }
    assert.equal((await postForm(server, `${ofPro.sharePath}/download`, { fileId: ofPro.id })).status, 303);
  });

  test("the sponsor's document has a sandbox policy wherever it is opened", async () => {
    const response = await fetch(`${server.url}/assets/sponsor.html`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none';/);
    assert.doesNotMatch(policy, /allow-scripts|allow-same-origin|allow-forms|allow-top-navigation|script-src/);
    assert.equal(response.headers.get("referrer-policy"), "no-referrer");
    assert.match(await response.text(), /<body><p>Buy <b>ropes<\/b><\/p><\/body>/);
  });

  test("a download before the wait has ended returns the page with the remaining seconds, and counts nothing", async () => {
    const file = await upload(server, { bytes: "hello", fields: { once: "true" } });
    const ready = hiddenField((await open(file.sharePath)).html, "ready") ?? "";
    const other = hiddenField((await open((await upload(server, { bytes: "x" })).sharePath)).html, "ready") ?? "";
    const past = (Date.now() - 1000).toString(36);
    for (const sent of [ready, other, "", "junk", `${past}.${ready.split(".")[1]}`, undefined]) {
      const { status, html, headers } = await postForm(server, `${file.sharePath}/download`, {
        fileId: file.id,
        ...(sent !== undefined && { ready: sent }),
      });
      assert.equal(status, 409, String(sent));
      const left = Number(/data-wait="(\d+)"/.exec(html)?.[1]);
      assert.ok(left > 200 && left <= 300, html);
      assert.equal(Number(headers.get("retry-after")), left);
      assert.equal(hiddenField(html, "ready") === ready, sent === ready, "only the page's own wait continues");
    }
    assert.deepEqual(await countsOf(file), { downloads: 0, events: 0 });
    const url = await signedUrl(server, file.id);
    assert.equal(await (await fetch(url)).text(), "hello");
  });

  test("the wait does not delay the API, for a file or an archive", async () => {
    const share = await uploadShipment(server, { key: server.free.key, paths: ["a.txt", "b.txt"] });
    assert.equal((await postForm(server, `${share.sharePath}/archive`, {})).status, 409);
    for (const key of [undefined, server.free.key]) assert.equal((await authorize(server, share.id, { key })).status, 200);
    const archive = await fetch(`${server.url}/api/files/share/${share.shortId}/archive`);
    assert.equal(archive.status, 200);
    assert.equal((await fetch(share.url)).status, 200);
  });

  test("a wrong code is reported before the wait, and valid credentials remain on the page", async () => {
    const share = await uploadProtected(server, { fields: { handoffMessage: "Here you are." } });
    const download = (fields: Record<string, string>) => postForm(server, `${share.sharePath}/download`, { fileId: share.id, ...fields });
    const refused = await download({ unlockCode: "000000" });
    assert.equal(refused.status, 403);
    assert.match(refused.html, /Wrong code/);
    const ready = hiddenField((await open(share.sharePath)).html, "ready") ?? "";
    const unlocked = await postForm(server, `${share.sharePath}/unlock`, { unlockCode: share.unlockCode, ready });
    assert.equal(hiddenField(unlocked.html, "ready"), ready, "the wait started with the first page");
    const unlockToken = hiddenField(unlocked.html, "unlockToken") ?? "";
    const early = await download({ unlockToken, ready });
    assert.equal(early.status, 409);
    assert.equal(hiddenField(early.html, "unlockToken"), unlockToken);
    assert.equal((await download({ unlockCode: share.unlockCode })).status, 409);
    const handoffToken = new URL(share.handoffUrl).pathname.slice("/h/".length);
    const byLink = await download({ handoffToken });
    assert.equal(byLink.status, 409);
    assert.equal(hiddenField(byLink.html, "handoffToken"), handoffToken);
    assert.match(byLink.html, /Here you are\./);
  });

  test("a share is sponsored if either of them is configured", async () => {
    const file = await upload(server, { bytes: "hello" });
    await server.restart({ env: { FILEHOST_DOWNLOAD_WAIT: "0" } });
    assert.equal(await isSponsored(file), true);
    assert.match((await open(file.sharePath)).html, new RegExp(FRAME));
    assert.equal((await postForm(server, `${file.sharePath}/download`, { fileId: file.id })).status, 303);
    await server.restart({ env: { FILEHOST_DOWNLOAD_WAIT: "1", FILEHOST_SPONSOR_FILE: "" } });
    assert.equal(await isSponsored(file), true);
    assert.equal((await fetch(`${server.url}/assets/sponsor.html`)).status, 404);
    const { html } = await open(file.sharePath);
    assert.doesNotMatch(html, /iframe/);
    const download = (ready: string) => postForm(server, `${file.sharePath}/download`, { fileId: file.id, ready });
    const ready = hiddenField(html, "ready") ?? "";
    const { status, headers } = await until("the wait has passed", async () => {
      const response = await download(ready);
      return response.status !== 409 && response;
    });
    assert.equal(status, 303);
    assert.equal(await (await fetch(headers.get("location") ?? "")).text(), "hello");
    assert.doesNotMatch((await open(`${file.sharePath}?ready=${ready}`)).html, /You can download in|disabled/);
    await server.restart({ env: { FILEHOST_DOWNLOAD_WAIT: "300" } });
    assert.equal((await download(ready)).status, 303, "a wait that has passed stays valid after a restart");
    await server.restart({ env: { FILEHOST_DOWNLOAD_WAIT: "0" } });
    assert.equal(await isSponsored(file), false);
    assert.doesNotMatch((await open(file.sharePath)).html, /name="ready"/);
  });
});
