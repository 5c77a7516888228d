import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import { type Account, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { clientOf } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { readSecret, secretPath, signInByCode } from "../support/client/client-login.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PROCESSES = 6;
const noDisk = await whyNoDisk();

/** client, "Secrets". */
describe("the tokens of a device", () => {
  let server: ServerWith<"account">;
  let account: Account;
  before(async () => {
    server = await withAccounts(startPlainServer(), { account: {} });
    ({ account } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function signIn(device: ClientDevice): Promise<void> {
    const person = { session: await startSession(server, account), userId: account.userId, home: homeOf(server) };
    const { code, stderr } = await signInByCode(device, person, ["--profile", "work"]);
    assert.equal(code, 0, stderr);
  }

  /** Makes the device take its token for one that ends soon. */
  async function age(device: ClientDevice): Promise<Record<string, unknown>> {
    const secret = await readSecret(device, "work");
    await writeFile(secretPath(device, "work"), JSON.stringify({ ...secret, expiresAtMs: Date.now() + 1000 }));
    return secret;
  }

  const whoAreThey = (device: ClientDevice) =>
    Promise.all(Array.from({ length: PROCESSES }, () => device.run(["whoami", "--json"]))).then((all) =>
      all.map(({ code, stderr }) => [code, stderr]),
    );
  const countRefreshes = () =>
    withDatabase(
      server,
      async (db) => (await db.selectFrom("oauth_refresh_tokens").select("id").where("revoked", "is not", null).execute()).length,
    );
  const allDone = Array.from({ length: PROCESSES }, () => [0, ""]);

  test("are refreshed once by several processes together, repeatedly", async () => {
    await using device = await makeDevice();
    await signIn(device);
    const before = await countRefreshes();
    for (let round = 1; round <= 3; round += 1) {
      const { accessToken, refreshToken } = await age(device);
      assert.deepEqual(await whoAreThey(device), allDone);
      const secret = await readSecret(device, "work");
      assert.ok(secret.accessToken !== accessToken && secret.refreshToken !== refreshToken);
      assert.ok(Number(secret.expiresAtMs) > Date.now() + 3_000_000);
      assert.equal(await countRefreshes(), before + round);
    }
    assert.equal((await clientOf(server, account).call("listApplications", {})).data.length, 1);
    await device.run(["logout"]);
  });

  test("are also refreshed when the server refuses one that seems valid", async () => {
    await using device = await makeDevice();
    await signIn(device);
    const { accessToken } = await readSecret(device, "work");
    await withDatabase(server, (db) => db.deleteFrom("oauth_access_tokens").execute());
    assert.deepEqual(await whoAreThey(device), allDone);
    assert.notEqual((await readSecret(device, "work")).accessToken, accessToken);
    await device.run(["logout"]);
  });

  test("are refreshed after a process that had the lock was killed", async () => {
    await using device = await makeDevice();
    await signIn(device);
    await age(device);
    const lock = resolve(import.meta.dirname, "../../../src/client/records/file-lock.ts");
    const code = `
      const { withFileLock } = await import(${JSON.stringify(lock)});
      await withFileLock(${JSON.stringify(secretPath(device, "work").replace(/json$/, "lock"))}, async () => {
        process.stdout.write("locked");
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      });`;
    const holder = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    const before = await countRefreshes();
    const waiting = whoAreThey(device);
    holder.kill("SIGKILL");
    assert.deepEqual(await waiting, allDone);
    assert.equal(await countRefreshes(), before + 1);
    await device.run(["logout"]);
  });

  test("are not used up on a disk that cannot store the new ones", { skip: noDisk }, async () => {
    await using device = await makeDevice();
    await signIn(device);
    await age(device);
    const disk = await mountDisk(64 * 1024);
    try {
      const config = join(disk, "filehost");
      const path = join(config, "credentials", "work.json");
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await copyFile(secretPath(device, "work"), path);
      await copyFile(join(device.path, "config", "filehost", "config.json"), join(config, "config.json"));
      await writeFile(join(config, "credentials", "work.lock"), "");
      await writeFile(join(disk, "full"), new Uint8Array(60 * 1024)).catch(() => undefined);
      const before = await countRefreshes();
      const { code, stderr } = await device.run(["whoami"], { env: { XDG_CONFIG_HOME: disk } });
      assert.equal(code, 5);
      assert.match(stderr, /the disk is full/);
      assert.equal(await countRefreshes(), before);
      assert.equal((await device.run(["whoami"])).code, 0, "the token still counts");
    } finally {
      await unmountDisk(disk);
    }
  });
});
