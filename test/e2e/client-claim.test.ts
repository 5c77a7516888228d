import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../support/server.ts";
import { type Account, addAccount } from "./support/accounts.ts";
import { clientOf, listFiles, upload } from "./support/api.ts";
import { makeDevice, rememberUpload } from "./support/client-device.ts";
import { readSecret } from "./support/client-login.ts";
import { startPlainServer } from "./support/plain-server.ts";

interface Claimed {
  readonly claimed: readonly { readonly shortId: string; readonly name: string }[];
  readonly refused: readonly { readonly id: string; readonly errorCode: string }[];
}

/** client, "Anonymous shares" and "Signing in". */
describe("filehost claim and register", () => {
  let server: TestServer;
  let account: Account;
  before(async () => {
    server = await startPlainServer();
    account = await addAccount(server);
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  const makeSender = async () => {
    const device = await makeDevice({ FILEHOST_SERVER: server.url, FILEHOST_KEY: account.key });
    const send = async (name: string) => {
      const sent = await upload(server, { name, bytes: name });
      await rememberUpload(device, server, sent);
      return sent;
    };
    return { device, send, [Symbol.asyncDispose]: () => device[Symbol.asyncDispose]() };
  };

  test("moves the shares that the device remembers to the account, by ID, link or all, and forgets them", async () => {
    await using sender = await makeSender();
    const { device, send } = sender;
    const [one, two, three] = [await send("one.txt"), await send("two.txt"), await send("three.txt")];
    const claimed = await device.runJson<{ shortId: string; url: string }>(["claim", one.id]);
    assert.deepEqual([claimed.shortId, claimed.url], [one.shortId, one.shareUrl]);
    const { stdout } = await device.run(["claim", two.shareUrl]);
    assert.equal(stdout, `${two.shareUrl}  two.txt\n`);
    const all = await device.runJson<Claimed>(["claim", "--all"]);
    assert.deepEqual(
      all.claimed.map(({ name }) => name),
      ["three.txt"],
    );
    assert.deepEqual(await device.shares.list(), []);
    const { files } = await listFiles(server, account.key);
    assert.deepEqual(new Set(files.map(({ id }) => id)), new Set([one.id, two.id, three.id]));
  });

  test("takes the token of a share that another device sent, of one file or a shipment", async () => {
    await using sender = await makeSender();
    const { device } = sender;
    const file = await upload(server, { name: "other.txt", bytes: "other" });
    assert.equal((await device.run(["claim", file.shortId])).code, 4);
    const wrong = await device.run(["claim", file.shortId, "--token", "claim_wrong"]);
    assert.equal(wrong.code, 3);
    assert.equal((await device.run(["claim", file.shortId, "--token", file.claimToken ?? ""])).code, 0);
    const { data: shipment } = await clientOf(server).call("createShare", { title: "Several" });
    const fields = { shareShortId: shipment.shortId, shareToken: shipment.shareToken };
    for (const name of ["a.txt", "b.txt"]) await upload(server, { name, bytes: name, fields });
    assert.equal((await device.run(["claim", shipment.shortId, "--token", shipment.claimToken ?? ""])).code, 0);
  });

  test("names what it refuses, keeps it, and needs an account", async () => {
    await using sender = await makeSender();
    const { device, send } = sender;
    const [kept, gone] = [await send("kept.txt"), await send("gone.txt")];
    await clientOf(server).call("deleteFile", { fileId: gone.id, token: gone.deletionToken });
    const { code, stdout } = await device.run(["claim", gone.shortId, kept.shortId, "--json"]);
    assert.equal(code, 4);
    const { claimed, refused } = JSON.parse(stdout) as Claimed;
    assert.deepEqual([claimed.length, refused.map(({ errorCode }) => errorCode)], [1, ["NOT_FOUND"]]);
    assert.equal((await device.run(["claim"])).code, 2);
    assert.equal((await device.run(["claim", "--all", kept.id])).code, 2);
    assert.equal((await device.run(["claim", "--all"], { env: { FILEHOST_KEY: "" } })).code, 2);
  });

  test("register proves work, keeps the agent's key alone on the device, and does not lose it by mistake", async () => {
    await using device = await makeDevice();
    const { code, stdout, stderr } = await device.run(["register", server.url, "--label", "nightly", "--json"]);
    assert.equal(code, 0, stderr);
    const { profile, account } = JSON.parse(stdout) as { profile: string; account: { id: string; role: string } };
    assert.equal(account.role, "agent");
    const { key } = await readSecret(device, profile);
    assert.ok(!`${stdout}${stderr}`.includes(String(key)));
    assert.equal((await device.runJson<{ account: { id: string } }>(["whoami"])).account.id, account.id);
    const { data: keys } = await clientOf(server, { key: String(key) })
      .call("getMe", {})
      .then(({ data }) => ({ data: data.key }));
    assert.equal(keys?.label, "nightly");
    assert.equal((await device.run(["register", server.url])).code, 6, "the profile has the only key");
    assert.equal((await device.run(["login", server.url, "--with-key"], { input: String(key) })).code, 6);
    assert.equal((await device.run(["logout"])).code, 6);
    assert.equal((await device.run(["logout", "--force"])).code, 0);
  });
});
