import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Origin, startOrigin } from "../../support/services/origin-server.ts";
import { type Account, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf, listFiles, upload } from "../support/api/api.ts";
import { makeDevice, rememberUpload } from "../support/client/client-device.ts";
import { readSecret } from "../support/client/client-login.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

interface Claimed {
  readonly claimed: readonly { readonly shortId: string; readonly name: string }[];
  readonly refused: readonly { readonly id: string; readonly errorCode: string }[];
}

const CHALLENGE = { challenge_id: "ch_1", difficulty: 1, expires_at: "2099-01-30T12:05:00Z" };
const AGENT = {
  key: "bc_only",
  owner_id: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
  key_prefix: "bc_only",
  scope: "files_write",
  tier: "bootstrap",
  note: "Save this key.",
};

/** client, "Anonymous shares" and "Signing in". */
describe("filehost claim and register", () => {
  let server: ServerWith<"account">;
  let account: Account;
  before(async () => {
    server = await withAccounts(startPlainServer(), { account: {} });
    ({ account } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

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

  test("accepts the token of a share that another device sent, of one file or a shipment", async () => {
    await using sender = await makeSender();
    const { device } = sender;
    const file = await upload(server, { name: "other.txt", bytes: "other" });
    assert.equal((await device.run(["claim", file.shortId])).code, 4);
    const wrong = await device.run(["claim", file.shortId, "--token", "claim_wrong"]);
    assert.equal(wrong.code, 3);
    assert.equal((await device.run(["claim", file.shortId, "--token", file.claimToken ?? ""])).code, 0);
    const piped = await upload(server, { name: "piped.txt", bytes: "piped" });
    assert.equal((await device.run(["claim", piped.shortId, "--token", "-"], { input: "" })).code, 2);
    assert.equal((await device.run(["claim", piped.shortId, "--token", "-"], { input: "x".repeat(20_000) })).code, 2);
    assert.equal((await device.run(["claim", piped.shortId, "--token", "-"], { input: `${piped.claimToken}\n` })).code, 0);
    const { data: shipment } = await clientOf(server).call("createShare", { title: "Several" });
    const fields = { shareShortId: shipment.shortId, shareToken: shipment.shareToken };
    for (const name of ["a.txt", "b.txt"]) await upload(server, { name, bytes: name, fields });
    assert.equal((await device.run(["claim", shipment.shortId, "--token", shipment.claimToken ?? ""])).code, 0);
  });

  test("names refused shares, keeps them, and needs an account", async () => {
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

  test("register proves work, stores the agent's key only on the device, and does not lose it by mistake", async () => {
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

  const countAgents = () =>
    withDatabase(server, async (db) => (await db.selectFrom("users").select("id").where("role", "=", "agent").execute()).length);

  test("register creates no account whose key it cannot store, and leaves no profile", async () => {
    await using device = await makeDevice();
    const folder = join(device.path, "config", "filehost");
    await mkdir(folder, { recursive: true });
    const before = await countAgents();
    await writeFile(join(folder, "credentials"), "");
    assert.equal((await device.run(["register", server.url])).code, 1);
    await rm(join(folder, "credentials"));
    await mkdir(join(folder, "credentials", "work.json"), { recursive: true });
    assert.equal((await device.run(["register", server.url, "--profile", "work"])).code, 1);
    assert.equal(await countAgents(), before);
    assert.deepEqual(await device.runJson(["profiles", "list"]), { profiles: [] });
  });

  test("register keeps the key when the server fails right afterwards, and after a Ctrl-C that came too late", async () => {
    const registering = Promise.withResolvers<void>();
    const interrupted = Promise.withResolvers<void>();
    const front: Origin = await startOrigin({
      "/api/agent/capabilities": (_, response) => response.end(JSON.stringify({ service: "filehost", siteUrl: front.url })),
      "/api/agent/register/challenge": (_, response) => response.end(JSON.stringify(CHALLENGE)),
      "/api/agent/register": (_, response) => {
        registering.resolve();
        void interrupted.promise.then(() => response.end(JSON.stringify(AGENT)));
      },
      "/api/me": (_, response) => response.writeHead(503).end(),
    });
    await using _ = front;
    await using device = await makeDevice();
    const child = device.start(["register", front.url, "--profile", "work"]);
    const ended = once(child, "close");
    await registering.promise;
    child.kill("SIGINT");
    interrupted.resolve();
    assert.deepEqual(await ended, [8, null]);
    assert.deepEqual(await readSecret(device, "work"), { key: "bc_only" });
    assert.equal((await device.run(["logout"])).code, 6, "it is the only key of an agent");
  });

  test("register leaves nothing if it is interrupted before the account exists", async () => {
    const asked = Promise.withResolvers<void>();
    const front: Origin = await startOrigin({
      "/api/agent/capabilities": (_, response) => response.end(JSON.stringify({ service: "filehost", siteUrl: front.url })),
      "/api/agent/register/challenge": () => asked.resolve(),
    });
    await using _ = front;
    await using device = await makeDevice();
    const child = device.start(["register", front.url, "--profile", "work"]);
    const ended = once(child, "close");
    await asked.promise;
    child.kill("SIGINT");
    assert.deepEqual(await ended, [130, null]);
    assert.deepEqual(await device.runJson(["profiles", "list"]), { profiles: [] });
  });

  test("a profile of another server is not replaced", async () => {
    await using device = await makeDevice();
    assert.equal((await device.run(["login", server.url, "--with-key", "--profile", "work"], { input: account.key })).code, 0);
    const other = "http://127.0.0.1:9";
    for (const [command, ...rest] of [["login", "--with-key"], ["register"]]) {
      const { code, stderr } = await device.run([command ?? "", other, ...rest, "--profile", "work"], { input: "bc_other" });
      assert.equal(code, 6);
      assert.match(stderr, /work is of another server.*filehost logout --profile work/);
    }
    assert.deepEqual(await readSecret(device, "work"), { key: account.key });
    assert.equal((await device.run(["login", server.url, "--with-key", "--profile", "work"], { input: account.key })).code, 0);
  });
});
