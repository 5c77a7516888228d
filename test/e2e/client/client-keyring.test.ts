import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { keyringMissing, startKeyring, startSilentBus, type TestKeyring } from "../../support/services/keyring.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { startSession } from "../support/api/callers.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { signInByCode } from "../support/client/client-login.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

/** client, "Secrets". */
describeUnless(keyringMissing, "the keyring of the system", () => {
  let server: TestServer;
  let account: Account;
  let keyring: TestKeyring;
  before(async () => {
    server = await startPlainServer();
    account = await addAccount(server);
    keyring = await startKeyring();
    await using device = await makeDevice(keyring.env);
    await until("the keyring responds", async () => (await signInWithKey(device)).secret === "keyring");
  });
  after(async () => {
    await keyring?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const signInWithKey = (device: ClientDevice, args: readonly string[] = []) =>
    device.runJson<{ secret: string }>(["login", server.url, "--with-key", ...args], { input: account.key });
  const filesOf = async (device: ClientDevice) =>
    (await readdir(join(device.path, "config", "filehost", "credentials"))).filter((name) => name.endsWith(".json"));

  test("stores keys and tokens, also refreshed ones, until logout", async () => {
    await using device = await makeDevice(keyring.env);
    const person = { session: await startSession(server, account), userId: account.userId, home: homeOf(server) };
    assert.equal((await signInByCode(device, person, ["--profile", "work"])).code, 0);
    assert.deepEqual(await filesOf(device), []);
    await withDatabase(server, (db) => db.deleteFrom("oauth_access_tokens").execute());
    const all = await Promise.all([1, 2, 3].map(() => device.run(["whoami"])));
    assert.deepEqual(
      all.map(({ code, stderr }) => [code, stderr]),
      [1, 2, 3].map(() => [0, ""]),
    );
    assert.equal((await device.run(["whoami"])).code, 0);
    assert.deepEqual(await filesOf(device), []);
    assert.equal((await device.run(["logout"])).code, 0);
    assert.equal((await signInWithKey(device, ["--profile", "work", "--no-keyring"])).secret, "file");
    assert.deepEqual(await filesOf(device), ["work.json"]);
    assert.equal((await signInWithKey(device, ["--profile", "work"])).secret, "keyring");
    assert.deepEqual(await filesOf(device), []);
  });

  test("is not waited for when it does not respond", async () => {
    await using device = await makeDevice(keyring.env);
    await signInWithKey(device, ["--profile", "work"]);
    await using silent = await startSilentBus(join(device.path, "bus"));
    const { code, stderr } = await device.run(["whoami"], { env: silent.env });
    assert.equal(code, 8);
    assert.match(stderr, /keyring .* does not respond\. Unlock it, or run: filehost login --no-keyring/);
    const key = join(device.path, "key");
    await writeFile(key, account.key);
    const again = await device.runJson<{ secret: string }>(["login", server.url, "--key-file", key], { env: silent.env });
    assert.equal(again.secret, "file");
  });
});
