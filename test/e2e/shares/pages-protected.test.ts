import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf, getShare, upload } from "../support/api/api.ts";
import { hiddenField, type ProtectedUpload, postForm, uploadProtected, uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { changeSettings } from "../support/shares/shares.ts";
import { sha256 } from "../support/uploads/multipart.ts";

const WRONG = "000000";

/** sharing, "Protection"; pages, "A protected share does not show what it contains". */
describe("pages of protected shares", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  const unlock = (share: ProtectedUpload, fields: Record<string, string>, headers = {}) =>
    postForm(server, `${share.sharePath}/unlock`, fields, headers);
  const download = (share: ProtectedUpload, fields: Record<string, string>) =>
    postForm(server, `${share.sharePath}/download`, { fileId: share.id, ...fields });

  test("a locked page shows the file's name and size and offers no download", async () => {
    const share = await uploadProtected(server, { name: "plan.txt" });
    const response = await fetch(server.url + share.sharePath);
    const html = await response.text();
    assert.equal(response.status, 200);
    assert.match(html, /plan<\/bdi>.*9\sbytes.*Enter the 6-character code/s);
    assert.doesNotMatch(html, /name="fileId"/);
    assert.doesNotMatch(html, new RegExp(`${share.unlockCode}|${new URL(share.handoffUrl).pathname}`));
  });

  test("the digest is shown on unlocked pages, and to the owner in the metadata", async () => {
    const { key } = server.owner;
    const protect = { fields: { protect: "true" } };
    const [anonymous, owned] = [await uploadProtected(server), await uploadProtected(server, protect, { key })];
    const digest = sha256("the bytes");
    for (const share of [anonymous, owned]) {
      assert.doesNotMatch(await (await fetch(server.url + share.sharePath)).text(), new RegExp(digest));
      assert.match((await unlock(share, { unlockCode: share.unlockCode })).html, new RegExp(digest));
      assert.match(await (await fetch(share.handoffUrl)).text(), new RegExp(digest));
      assert.equal((await getShare(server, share.shortId)).sha256, null);
    }
    assert.equal((await clientOf(server, { key }).call("getShare", { shortId: owned.shortId })).sha256, digest);
    assert.equal((await clientOf(server, { key }).call("getShare", { shortId: anonymous.shortId })).sha256, null);
    const open = await upload(server, { bytes: "the bytes" });
    assert.equal((await getShare(server, open.shortId)).sha256, digest);
    assert.match(await (await fetch(server.url + open.sharePath)).text(), new RegExp(digest));
  });

  test("a locked shipment shows no digest, an unlocked one does", async () => {
    const share = await uploadShipment(server, { key: server.owner.key, paths: ["a.txt", "b.txt"], fields: { protect: "true" } });
    const digest = new RegExp(sha256("bytes of a.txt"));
    assert.doesNotMatch(await (await fetch(server.url + share.sharePath)).text(), digest);
    assert.match((await postForm(server, `${share.sharePath}/unlock`, { unlockCode: share.unlockCode ?? "" })).html, digest);
  });

  test("a locked shipment shows neither the names of its folders nor the kinds of its files, whatever part is requested", async () => {
    const { key } = server.owner;
    const share = await uploadShipment(server, { key, paths: ["plans/budget/a.txt", "plans/b.txt"], fields: { protect: "true" } });
    const show = async (query: string) => {
      const response = await fetch(`${server.url}${share.sharePath}?lang=en${query}`);
      return { html: await response.text(), policy: response.headers.get("content-security-policy") };
    };
    const plain = await show("");
    assert.doesNotMatch(plain.html, /plans|budget|folder=/);
    for (const directive of ["img-src", "media-src", "frame-src"]) assert.match(plain.policy ?? "", new RegExp(`${directive} [^;,]*/pv/`));
    for (const part of ["folder=plans", "folder=nothing", "q=b.txt", "q=nothing"]) {
      const { html } = await show(`&${part}`);
      // The links that choose a language keep the query.
      assert.equal(html.replaceAll(`&amp;${part}`, ""), plain.html, part);
    }
  });

  test("the code unlocks in any spelling, the unlock token downloads, and no cookie is set", async () => {
    const share = await uploadProtected(server);
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
      const unlockToken = hiddenField(html, "unlockToken") ?? "";
      const response = await download(share, { unlockToken });
      assert.equal(response.status, 303);
      assert.equal(await (await fetch(response.headers.get("location") ?? "")).text(), "the bytes");
    }
    assert.equal((await download(share, { unlockCode: code })).status, 303);
  });

  test("the unlock token opens the page again and does not change while it is valid", async () => {
    const share = await uploadProtected(server);
    const unlockToken = hiddenField((await unlock(share, { unlockCode: share.unlockCode })).html, "unlockToken") ?? "";
    const again = await unlock(share, { unlockToken });
    assert.equal(again.status, 200);
    assert.equal(hiddenField(again.html, "unlockToken"), unlockToken);
    const forged = await unlock(share, { unlockToken: `${unlockToken.slice(0, -1)}"` });
    assert.equal(forged.status, 403);
    assert.match(forged.html, /id="unlock-problem">Your access has expired/);
  });

  test("a wrong, short or missing code shows the page again with the problem", async () => {
    const share = await uploadProtected(server);
    const says: [Record<string, string>, RegExp][] = [
      [{ unlockCode: WRONG }, /Wrong code\. Check it and try again\./],
      [{ unlockCode: "abc" }, /The code has 6\scharacters; you entered 3/],
      [{ unlockCode: " - " }, /Enter the code first/],
      [{}, /Enter the code first/],
    ];
    for (const [fields, problem] of says) {
      const { status, html } = await unlock(share, fields);
      assert.equal(status, 403, JSON.stringify(fields));
      assert.match(/id="unlock-problem">([^<]*)/.exec(html)?.[1] ?? "", problem);
      assert.match(html, /aria-invalid="true"/);
      assert.equal(hiddenField(html, "unlockToken"), undefined);
    }
  });

  test("a download request without valid credentials shows the form again with the problem", async () => {
    const share = await uploadProtected(server, {}, { key: server.owner.key });
    const unlockToken = hiddenField((await unlock(share, { unlockCode: share.unlockCode })).html, "unlockToken") ?? "";
    const handoffToken = new URL(share.handoffUrl).pathname.slice("/h/".length);
    await changeSettings(server, { fileId: share.id, protect: true }, server.owner.key);
    const says: [Record<string, string>, RegExp][] = [
      [{}, /Enter the code first/],
      [{ unlockCode: share.unlockCode }, /Wrong code\. Check it and try again\./],
      [{ unlockToken }, /the code has changed/],
      [{ handoffToken }, /This private link has expired/],
    ];
    for (const [fields, problem] of says) {
      const { status, html } = await download(share, fields);
      assert.equal(status, 403, JSON.stringify(fields));
      assert.match(html, problem);
      assert.match(html, /<form class="unlock"/);
    }
  });

  test("the page shows after ten wrong codes the time of the next try, and tokens still download", async () => {
    const share = await uploadProtected(server);
    const unlockToken = hiddenField((await unlock(share, { unlockCode: share.unlockCode })).html, "unlockToken") ?? "";
    // A code of the wrong length is no guess and does not count.
    assert.equal((await unlock(share, { unlockCode: "abc" })).status, 403);
    for (let guess = 0; guess < 10; guess += 1) assert.equal((await unlock(share, { unlockCode: WRONG })).status, 403);
    for (const unlockCode of [WRONG, share.unlockCode]) {
      const { status, headers, html } = await unlock(share, { unlockCode });
      assert.equal(status, 429);
      assert.ok(Number(headers.get("retry-after")) > 0);
      assert.match(html, /Too many wrong codes\. Try again in 1\d\sminutes, after <time datetime="/);
      assert.match(html, /<form class="unlock"/);
    }
    assert.equal((await download(share, { unlockToken })).status, 303);
    assert.equal((await unlock(share, { unlockToken })).status, 200);
  });

  test("a download limit is shown before and after unlocking, and the last download uses up the share", async () => {
    const share = await uploadProtected(server, { fields: { once: "true" } });
    assert.match(await (await fetch(server.url + share.sharePath)).text(), /One download only/);
    const { html } = await unlock(share, { unlockCode: share.unlockCode });
    assert.match(html, /One download only/);
    assert.equal((await download(share, { unlockToken: hiddenField(html, "unlockToken") ?? "" })).status, 303);
    const usedUp = await unlock(share, { unlockCode: share.unlockCode });
    assert.equal(usedUp.status, 404);
    assert.match(usedUp.html, /has no downloads left/);
  });

  test("unlocking an unprotected share redirects to it, and unknown shares and other sites are refused", async () => {
    const open = await uploadProtected(server, {}, { key: server.owner.key });
    await changeSettings(server, { fileId: open.id, protect: false }, server.owner.key);
    const pointless = await unlock(open, { unlockCode: WRONG });
    assert.deepEqual([pointless.status, pointless.headers.get("location")], [303, open.sharePath]);
    const missing = await postForm(server, "/d/nothing0/unlock", { unlockCode: WRONG });
    assert.equal(missing.status, 404);
    assert.match(missing.html, /Link not found/);
    const foreign = await unlock(await uploadProtected(server), { unlockCode: WRONG }, { Origin: "https://elsewhere.example" });
    assert.equal(foreign.status, 403);
    assert.match(foreign.html, /<h1>Open this page at its own address<\/h1>/);
    assert.match(foreign.html, /<a class="button" href="(http:\/\/localhost:\d+)">\1<\/a>/);
    for (const action of ["unlock", "download", "archive"]) {
      const looked = await fetch(`${server.url}${open.sharePath}/${action}`, { redirect: "manual", headers: { Accept: "text/html" } });
      assert.deepEqual([looked.status, looked.headers.get("location")], [302, open.sharePath]);
    }
  });
});
