import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { askShare, assertRefused, call, clientOf, getShare, signedUrl, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { callTool, connectMcp } from "../support/api/mcp.ts";
import { makeDevice } from "../support/client/client-device.ts";
import { uploadShipment } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { idsIn, shareFiles } from "../support/shares/shares.ts";

/** sharing, "Sharing again". */
describe("sharing the files of an ended share again", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const again = (owner: Account, shortId: string) => call(server, "POST", `/api/shares/${shortId}/share-again`, { ...owner, json: {} });
  const unlist = (owner: Account, shortId: string) =>
    call(server, "POST", `/api/shares/${shortId}/remove-from-list`, { ...owner, json: {} });
  const close = (owner: Account, shortId: string) => clientOf(server, owner).call("closeShare", { shortId });
  const ended = async (owner: Account) => (await clientOf(server, owner).call("listShares", { state: "ended" })).data;
  const filesLeft = async (owner: Account, shortId: string) => (await ended(owner)).find((share) => share.shortId === shortId)?.filesLeft;

  test("gives the files that are left a new link with the same settings", async () => {
    const owner = await addAccount(server);
    const shipment = await uploadShipment(server, { key: owner.key, paths: ["x/a.txt", "x/b.txt"] });
    const fileIds = await idsIn(server, shipment.shortId);
    const settings = { title: "Plans", message: "As promised.", handoffMessage: "Hello", maxDownloads: 3, notify: true, protect: true };
    const first = await clientOf(server, owner).call("shareFiles", { fileIds, ...settings, alias: "plans-of-june" });
    assert.equal((await ended(owner)).length, 0);
    await close(owner, first.data.shortId);
    assert.equal(await filesLeft(owner, first.data.shortId), 2);
    const { data } = await clientOf(server, owner).call("shareAgain", { shortId: first.data.shortId });
    assert.notEqual(data.shortId, first.data.shortId);
    assert.match(data.unlockCode ?? "", /^\w{6}$/);
    assert.notEqual(data.handoffUrl, first.data.handoffUrl);
    const details = (await clientOf(server, owner).call("listShares", {})).data.find(({ shortId }) => shortId === data.shortId);
    assert.deepEqual(
      { ...details, createdAt: "", expiresAt: "", shareUrl: "", sharePath: "" },
      {
        ...{
          shortId: data.shortId,
          alias: null,
          shareUrl: "",
          sharePath: "",
          kind: "shipment",
          title: "Plans",
          name: "a.txt",
          folder: null,
        },
        ...{ encrypted: false, files: 2, size: 32, state: "active", scanStatus: "clean", uploading: false, visibility: "unlisted" },
        ...{ unlockRequired: true, unlockKind: "code", immutable: false, otherLinks: 1, filesLeft: null, downloads: 0, maxDownloads: 3 },
        ...{ notify: true, createdAt: "", expiresAt: "", endedAt: null },
      },
    );
    assert.equal((await askShare(server, first.data.shortId)).status, 404, "the ended share stays ended");
  });

  test("keeps a password, and counts the bytes of the files once", async () => {
    const owner = await addAccount(server);
    const used = async () => (await clientOf(server, owner).call("getMe", {})).data.storage.usedBytes;
    const file = await upload(server, { bytes: "hello" }, owner);
    const { data: first } = await clientOf(server, owner).call("shareFiles", { fileIds: [file.id], password: "correct horse" });
    await close(owner, first.shortId);
    const before = await used();
    const { data } = await clientOf(server, owner).call("shareAgain", { shortId: first.shortId });
    assert.equal(data.unlockCode, undefined);
    assert.equal(await used(), before);
    const { unlockToken } = await clientOf(server).call("unlockDownload", { shortId: data.shortId, password: "correct horse" });
    assert.match(unlockToken, /./);
    await close(owner, data.shortId);
    assert.equal(await used(), before, "the bytes of the first share are still counted");
    assert.equal((await fetch(await signedUrl(server, file.id))).status, 200);
  });

  test("is refused once the files were removed, while the share is open, and for others", async () => {
    const owner = await addAccount(server);
    const usedUp = await upload(server, { fields: { once: "true" } }, owner);
    assertRefused(await again(owner, usedUp.shortId), { status: 409, code: "CONFLICT" });
    assertRefused(await unlist(owner, usedUp.shortId), { status: 409, code: "CONFLICT" });
    await signedUrl(server, usedUp.id);
    assert.equal(await filesLeft(owner, usedUp.shortId), 0);
    assertRefused(await again(owner, usedUp.shortId), { status: 409, code: "CONFLICT" });
    const stranger = await addAccount(server);
    assertRefused(await again(stranger, usedUp.shortId), { status: 404, code: "NOT_FOUND" });
    assertRefused(await unlist(stranger, usedUp.shortId), { status: 404, code: "NOT_FOUND" });
  });

  test("leaves out files that were deleted or blocked meanwhile", async () => {
    const owner = await addAccount(server);
    const files = [];
    for (const name of ["kept.txt", "deleted.txt", "blocked.txt"]) files.push(await upload(server, { bytes: name, name }, owner));
    const [, deleted, blocked] = files;
    const share = await shareFiles(server, { fileIds: files.map(({ id }) => id) }, owner.key);
    await close(owner, share.shortId);
    assert.equal(await filesLeft(owner, share.shortId), 3);
    await clientOf(server, owner).call("deleteFile", { fileId: deleted?.id ?? "" });
    assert.equal((await server.run(["blocklist", "add", blocked?.sha256 ?? "", "--reason", "test"])).code, 0);
    assert.equal(await filesLeft(owner, share.shortId), 1);
    const shared = await clientOf(server, owner).call("shareAgain", { shortId: share.shortId });
    assert.deepEqual(
      (await getShare(server, shared.data.shortId)).data.files?.map(({ name }) => name),
      ["kept.txt"],
    );
  });

  test("never opens a share or a file that was taken down", async () => {
    const owner = await addAccount(server);
    const [kept, down] = [await upload(server, { name: "kept.txt" }, owner), await upload(server, { name: "down.txt" }, owner)];
    const share = await shareFiles(server, { fileIds: [kept.id, down.id] }, owner.key);
    await close(owner, share.shortId);
    assert.equal((await server.run(["takedown", down.shortId])).code, 0);
    for (const shortId of [down.shortId, share.shortId]) {
      const item = (await ended(owner)).find((one) => one.shortId === shortId);
      assert.deepEqual({ state: item?.state, filesLeft: item?.filesLeft }, { state: "taken_down", filesLeft: null });
      assertRefused(await again(owner, shortId), { status: 409, code: "CONFLICT" });
      assertRefused(await unlist(owner, shortId), { status: 409, code: "CONFLICT" });
    }
  });

  test("removes an ended share from the list, and changes nothing else", async () => {
    const owner = await addAccount(server);
    const file = await upload(server, {}, owner);
    await close(owner, file.shortId);
    await clientOf(server, owner).call("removeFromList", { shortId: file.shortId });
    assert.deepEqual(await ended(owner), []);
    const { result } = await clientOf(server).call("getFileInfo", { file_code: file.shortId });
    assert.equal(result[0]?.status, 200);
  });

  test("by the command line and MCP prints the new link with its code", async () => {
    const owner = await addAccount(server);
    const file = await upload(server, {}, owner);
    const share = await shareFiles(server, { fileIds: [file.id], protect: true, title: "Plans" }, owner.key);
    await close(owner, share.shortId);
    await using device = await makeDevice();
    const env = { FILEHOST_SERVER: server.url, FILEHOST_KEY: owner.key };
    const shown = await device.run(["share", share.shortId, "--again", "--max-downloads", "2"], { env });
    assert.match(shown.stdout, /^link +.*\/d\/\w+\ncode +\w{6}\nprivate link +.*\/h\/ho_.*\ntitle +Plans\n.*downloads +0 of 2\n/s);
    await using client = await connectMcp(server, { era: "a session", key: owner.key });
    const { data } = await callTool(client, "share_again", { shortId: share.shortId });
    assert.match(String(data.unlockCode), /^\w{6}$/);
  });

  describe("by the command line", () => {
    /** Makes an ended protected share whose file the owner still has. */
    async function prepare() {
      const owner = await addAccount(server);
      const file = await upload(server, {}, owner);
      const share = await shareFiles(server, { fileIds: [file.id], protect: true }, owner.key);
      await close(owner, share.shortId);
      const device = await makeDevice();
      const env = { FILEHOST_SERVER: server.url, FILEHOST_KEY: owner.key };
      return { owner, file, share, device, env };
    }

    for (const [options, exitCode] of [
      [["--expires-at", "2020-01-01"], 2],
      [["--price", "4.99"], 6],
      [["--visibility", "public"], 2],
    ] as const)
      test(`prints the code of a new share that cannot be changed with ${options.join(" ")}`, async () => {
        const { share, device, env } = await prepare();
        await using _ = device;
        const words = ["share", share.shortId, "--again", ...options];
        const shown = await device.run(words, { env });
        assert.match(shown.stdout, /^link +.*\/d\/\w+\ncode +\w{6}\nprivate link +.*\/h\/ho_\S+\n$/);
        assert.match(shown.stderr, /^The new share has this link, but not the settings that you chose\. \w/);
        assert.equal(shown.code, exitCode);
        const asJson = await device.run([...words, "--json"], { env });
        const printed = JSON.parse(asJson.stdout);
        assert.match(printed.unlockCode, /^\w{6}$/);
        assert.deepEqual(Object.keys(printed).sort(), ["error", "errorCode", "handoffUrl", "shortId", "unlockCode", "url"]);
        assert.equal(asJson.code, exitCode);
      });

    test("prints the code on standard error beside the link", async () => {
      const { share, device, env } = await prepare();
      await using _ = device;
      const shown = await device.run(["share", share.shortId, "--again", "--link", "--quiet"], { env });
      assert.match(shown.stdout, /^http\S+\/d\/\w+\n$/);
      assert.match(shown.stderr, /^Unlock code: \w{6}\nPrivate link, which needs no code: \S+\/h\/ho_\S+\n$/);
      const refused = await device.run(["share", share.shortId, "--again", "--link", "--price", "4.99", "--quiet"], { env });
      assert.match(refused.stdout, /^http\S+\/d\/\w+\n$/);
      assert.match(refused.stderr, /^Unlock code: \w{6}\nPrivate link, .*\nThe new share has this link/);
    });

    test("says how an ended share is named, and that it can be shared again", async () => {
      const { owner, file, share, device, env } = await prepare();
      await using _ = device;
      const byFile = await device.run(["share", file.id, "--again"], { env });
      assert.match(byFile.stderr, /short ID or link, not the ID of a file\. Find it: filehost ls --shares --state ended/);
      assert.equal(byFile.code, 2);
      const withToken = await device.run(["share", share.shortId, "--again", "--token", "x"], { env });
      assert.equal(withToken.code, 2);
      const plain = await device.run(["share", share.shortId], { env });
      assert.match(plain.stderr, /If it has ended, share its files again: --again\n$/);
      assert.equal(plain.code, 4);
      assert.equal((await clientOf(server, owner).call("listShares", {})).data.length, 1, "nothing was shared again");
    });
  });

  test("works by forms, and the page of an ended share offers what is possible", async () => {
    const owner = await addAccount(server);
    const cookie = `session=${await startSession(server, owner)}`;
    const page = async (path: string, init: RequestInit = {}) => {
      const headers = { accept: "text/html", origin: homeOf(server), cookie };
      return await fetch(`${homeOf(server)}${path}`, { redirect: "manual", ...init, headers });
    };
    const post = (path: string, fields = {}) => page(path, { method: "POST", body: new URLSearchParams(fields) });
    const file = await upload(server, { name: "a.txt" }, owner);
    const protectedShare = await shareFiles(server, { fileIds: [file.id], protect: true }, owner.key);
    await close(owner, protectedShare.shortId);
    const ended = await (await page(`/d/${protectedShare.shortId}`)).text();
    assert.match(ended, /You still have the files\..*Share again/s);
    const key = /name="key" value="([^"]+)"/.exec(ended)?.[1] ?? "";
    const again = `/shares/${protectedShare.shortId}/share-again`;
    const [shared, repeated] = [await (await post(again, { key })).text(), await (await post(again, { key })).text()];
    const linkIn = (html: string) => /<code id="again-private">[^<]+/.exec(html)?.[0];
    assert.deepEqual([linkIn(repeated), linkIn(shared) === undefined], [linkIn(shared), false], "a form that is sent twice shares once");
    assert.notEqual(linkIn(await (await post(again)).text()), linkIn(shared));
    assert.match(shared, /Shared again.*\/d\/\w+.*<code id="again-code">\w{6}<\/code>.*\/h\/ho_/s);
    for (const { shortId } of (await clientOf(server, owner).call("listShares", {})).data) await close(owner, shortId);
    assert.match(await (await page(`/d/${protectedShare.shortId}`)).text(), /The files were removed\..*href="\/".*Send the files again/s);
    const removed = await post(`/shares/${protectedShare.shortId}/remove-from-list`);
    assert.equal(removed.headers.get("location"), "/shares?state=ended&done=removed");
    assert.equal(await filesLeft(owner, protectedShare.shortId), undefined);
  });
});
