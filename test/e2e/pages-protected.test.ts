import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "./support/accounts.ts";
import { call, getShare, upload } from "./support/api.ts";
import { sha256 } from "./support/multipart.ts";
import { hidden, type ProtectedUpload, post, protectedUpload, shipment } from "./support/pages.ts";
import { startPlainServer } from "./support/plain.ts";

const WRONG = "000000";

/** interface, "Protection credentials". */
describe("pages of protected shares", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const unlock = (share: ProtectedUpload, fields: Record<string, string>, headers = {}) =>
    post(server, `${share.sharePath}/unlock`, fields, headers);
  const download = (share: ProtectedUpload, fields: Record<string, string>) =>
    post(server, `${share.sharePath}/download`, { fileId: share.id, ...fields });

  test("the page tells what is there, and has nothing to download", async () => {
    const share = await protectedUpload(server, { name: "plan.txt" });
    const response = await fetch(server.url + share.sharePath);
    const html = await response.text();
    assert.equal(response.status, 200);
    assert.match(html, /plan<\/bdi>.*9 bytes.*Unlock code/s);
    assert.doesNotMatch(html, /name="fileId"/);
    assert.doesNotMatch(html, new RegExp(`${share.unlockCode}|${new URL(share.handoffUrl).pathname}`));
  });

  test("the digest is shown to who has unlocked the share, and in its metadata to its owner alone", async () => {
    const { key } = server.owner;
    const protect = { fields: { protect: "true" } };
    const uploads = [await protectedUpload(server), await protectedUpload(server, protect, { key })];
    const digest = sha256("the bytes");
    for (const share of uploads) {
      assert.doesNotMatch(await (await fetch(server.url + share.sharePath)).text(), new RegExp(digest));
      assert.match((await unlock(share, { unlockCode: share.unlockCode })).html, new RegExp(digest));
      assert.match(await (await fetch(share.handoffUrl)).text(), new RegExp(digest));
      assert.equal((await getShare(server, share.shortId)).body.sha256, null);
    }
    const [anonymous, owned] = uploads;
    assert.equal((await call(server, "GET", `/api/files/share/${owned?.shortId}`, { key })).body.sha256, digest);
    assert.equal((await call(server, "GET", `/api/files/share/${anonymous?.shortId}`, { key })).body.sha256, null);
    const open = await upload(server, { bytes: "the bytes" });
    assert.equal((await getShare(server, open.shortId)).body.sha256, digest);
    assert.match(await (await fetch(server.url + open.sharePath)).text(), new RegExp(digest));
  });

  test("of a shipment that is locked, no digest is shown", async () => {
    const share = await shipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt"], fields: { protect: "true" } });
    const digest = new RegExp(sha256("bytes of a.txt"));
    assert.doesNotMatch(await (await fetch(server.url + share.sharePath)).text(), digest);
    assert.match((await post(server, `${share.sharePath}/unlock`, { unlockCode: share.unlockCode ?? "" })).html, digest);
  });

  test("the code opens it, however it is written; the token downloads, and no cookie is set", async () => {
    const share = await protectedUpload(server);
    const { unlockCode: code } = share;
    const spellings = [
      code,
      code.toLowerCase(),
      ` ${code.slice(0, 3)} ${code.slice(3)}\n`,
      `${code.slice(0, 3)}-${code.slice(3, 5)}–${code.slice(5)}`,
    ];
    for (const unlockCode of spellings) {
      const { status, headers, html } = await unlock(share, { unlockCode });
      assert.equal(status, 200, JSON.stringify(unlockCode));
      assert.equal(headers.get("set-cookie"), null);
      assert.equal(headers.get("cache-control"), "no-store");
      const unlockToken = hidden(html, "unlockToken") ?? "";
      const answer = await download(share, { unlockToken });
      assert.equal(answer.status, 303);
      assert.equal(await (await fetch(answer.headers.get("location") ?? "")).text(), "the bytes");
    }
    assert.equal((await download(share, { unlockCode: code })).status, 303);
  });

  test("the token opens the page again, the same one for as long as it holds", async () => {
    const share = await protectedUpload(server);
    const unlockToken = hidden((await unlock(share, { unlockCode: share.unlockCode })).html, "unlockToken") ?? "";
    const again = await unlock(share, { unlockToken });
    assert.equal(again.status, 200);
    assert.equal(hidden(again.html, "unlockToken"), unlockToken);
    const forged = await unlock(share, { unlockToken: `${unlockToken.slice(0, -1)}"` });
    assert.equal(forged.status, 403);
    assert.match(forged.html, /id="unlock-problem">That was a while ago/);
  });

  test("a wrong code, a short one and none are answered by the page itself", async () => {
    const share = await protectedUpload(server);
    const says: [Record<string, string>, RegExp][] = [
      [{ unlockCode: WRONG }, /That is not the code/],
      [{ unlockCode: "abc" }, /The code has 6 characters, and this one 3/],
      [{ unlockCode: " - " }, /Enter the unlock code first/],
      [{}, /Enter the unlock code first/],
    ];
    for (const [fields, problem] of says) {
      const { status, html } = await unlock(share, fields);
      assert.equal(status, 403, JSON.stringify(fields));
      assert.match(/id="unlock-problem">([^<]*)/.exec(html)?.[1] ?? "", problem);
      assert.match(html, /aria-invalid="true"/);
      assert.equal(hidden(html, "unlockToken"), undefined);
    }
  });

  test("a download without what opens it leads to the form, not to a dead end", async () => {
    const share = await protectedUpload(server, {}, { key: server.owner.key });
    const unlockToken = hidden((await unlock(share, { unlockCode: share.unlockCode })).html, "unlockToken") ?? "";
    const handoffToken = new URL(share.handoffUrl).pathname.slice("/h/".length);
    const rotated = await call(server, "PATCH", "/api/files/share-settings", {
      key: server.owner.key,
      json: { fileId: share.id, protect: true },
    });
    assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
    const says: [Record<string, string>, RegExp][] = [
      [{}, /Enter the unlock code first/],
      [{ unlockCode: share.unlockCode }, /That is not the code/],
      [{ unlockToken }, /the code has changed/],
      [{ handoffToken }, /This private link holds no more/],
    ];
    for (const [fields, problem] of says) {
      const { status, html } = await download(share, fields);
      assert.equal(status, 403, JSON.stringify(fields));
      assert.match(html, problem);
      assert.match(html, /<form class="unlock"/);
    }
  });

  test("after ten wrong codes the page says when to try again; tokens still download", async () => {
    const share = await protectedUpload(server);
    const unlockToken = hidden((await unlock(share, { unlockCode: share.unlockCode })).html, "unlockToken") ?? "";
    // Too short to be a guess: does not count.
    assert.equal((await unlock(share, { unlockCode: "abc" })).status, 403);
    for (let guess = 0; guess < 10; guess += 1) assert.equal((await unlock(share, { unlockCode: WRONG })).status, 403);
    for (const unlockCode of [WRONG, share.unlockCode]) {
      const { status, headers, html } = await unlock(share, { unlockCode });
      assert.equal(status, 429);
      assert.ok(Number(headers.get("retry-after")) > 0);
      assert.match(html, /Too many wrong codes\. Try again in 1\d minutes, after <time datetime="/);
      assert.match(html, /<form class="unlock"/);
    }
    assert.equal((await download(share, { unlockToken })).status, 303);
    assert.equal((await unlock(share, { unlockToken })).status, 200);
  });

  test("limits are told before and after unlocking, and the last download ends it", async () => {
    const share = await protectedUpload(server, { fields: { once: "true" } });
    assert.match(await (await fetch(server.url + share.sharePath)).text(), /Single use/);
    const { html } = await unlock(share, { unlockCode: share.unlockCode });
    assert.match(html, /Single use/);
    assert.equal((await download(share, { unlockToken: hidden(html, "unlockToken") ?? "" })).status, 303);
    const usedUp = await unlock(share, { unlockCode: share.unlockCode });
    assert.equal(usedUp.status, 404);
    assert.match(usedUp.html, /has been used up/);
  });

  test("forms of what is not there, not protected or from elsewhere", async () => {
    const open = await protectedUpload(server, {}, { key: server.owner.key });
    await call(server, "PATCH", "/api/files/share-settings", { key: server.owner.key, json: { fileId: open.id, protect: false } });
    const pointless = await unlock(open, { unlockCode: WRONG });
    assert.deepEqual([pointless.status, pointless.headers.get("location")], [303, open.sharePath]);
    const missing = await post(server, "/d/nothing0/unlock", { unlockCode: WRONG });
    assert.equal(missing.status, 404);
    assert.match(missing.html, /There is nothing here/);
    const foreign = await unlock(await protectedUpload(server), { unlockCode: WRONG }, { Origin: "https://elsewhere.example" });
    assert.equal(foreign.status, 403);
    assert.match(foreign.html, /That came from somewhere else/);
    for (const action of ["unlock", "download", "archive"]) {
      const looked = await fetch(`${server.url}${open.sharePath}/${action}`, { redirect: "manual" });
      assert.deepEqual([looked.status, looked.headers.get("location")], [302, open.sharePath]);
    }
  });
});
