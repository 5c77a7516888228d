import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/lib/text/duration.ts";
import type { TestServer } from "../../support/server.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { askShare, getShare, listFiles, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { cleanUp, eventsOf } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { changeSettings, claim } from "../support/shares/shares.ts";

/** accounts, "The end of Pro". */
describe("a chosen expiry when Pro ends", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const newPro = (username?: string): Promise<Account> => addAccount(server, { tier: "pro", ...(username !== undefined && { username }) });
  const share = (account: Account, fields: Record<string, string> = {}): Promise<Upload> =>
    upload(server, { bytes: "hello", fields }, { key: account.key });
  const setTier = async (account: Account, ...args: string[]): Promise<void> => {
    const { code, stderr } = await server.run(["users", "set-tier", account.userId, ...args]);
    assert.equal(code, 0, stderr);
  };
  /** Makes Pro end `agoMs` ago, as if by the clock. */
  const endPro = async (account: Account, agoMs: number): Promise<void> => {
    const ended = { pro_until: Date.now() - agoMs };
    await withDatabase(server, (db) => db.updateTable("users").set(ended).where("id", "=", account.userId).execute());
    await cleanUp(server);
  };
  const agoText = (ms: number): string => new Date(Date.now() - ms).toISOString();
  const inText = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const patch = async (account: Account, file: Upload, json: object): Promise<void> => {
    await changeSettings(server, { fileId: file.id, ...json }, account.key);
  };
  const expiryOf = async (file: Pick<Upload, "shortId">): Promise<number | null> => {
    const share = await getShare(server, file.shortId);
    return share.expires_at === null ? null : Date.parse(share.expires_at);
  };
  const assertNear = (ms: number | null, expected: number): void => {
    const shown = ms === null ? "never" : new Date(ms).toISOString();
    assert.ok(ms !== null && Math.abs(ms - expected) < 30_000, `${shown} is not near ${new Date(expected).toISOString()}`);
  };
  const assertExpires = async (file: Pick<Upload, "shortId">, inMs: number): Promise<void> =>
    assertNear(await expiryOf(file), Date.now() + inMs);

  /** How Pro ends, and how much of the 24 hours of grace is left then. */
  const ends: Readonly<Record<string, { end: (account: Account) => Promise<void>; leftMs: number }>> = {
    "by the clock": { end: (account) => endPro(account, HOUR_MS), leftMs: 23 * HOUR_MS },
    "by set-tier free": { end: (account) => setTier(account, "free"), leftMs: DAY_MS },
    "by set-tier pro --until in the past": {
      end: (account) => setTier(account, "pro", "--until", agoText(HOUR_MS)),
      leftMs: 23 * HOUR_MS,
    },
  };
  for (const [how, { end, leftMs }] of Object.entries(ends)) {
    test(`every share expires at the latest with the grace when Pro ends ${how}, and a renewal restores its own expiry`, async () => {
      const account = await newPro();
      const anonymous = await upload(server, { bytes: "claimed", fields: { ttl: "2d" } });
      await claim(server, anonymous, account.key);
      const shipment = await share(account, { openShare: "true", ttl: "30d" });
      await share(account, { shareShortId: shipment.shortId });
      const [byDefault, long, soon] = [await share(account), await share(account, { ttl: "20d" }), await share(account, { ttl: "2h" })];
      await end(account);
      for (const cut of [byDefault, long, shipment, anonymous]) await assertExpires(cut, leftMs);
      await assertExpires(soon, 2 * HOUR_MS);
      await cleanUp(server);
      await assertExpires(long, leftMs);
      const { files } = await listFiles(server, account.key);
      for (const { id, expiresAt } of files) assertNear(Date.parse(expiresAt ?? ""), Date.now() + (id === soon.id ? 2 * HOUR_MS : leftMs));
      const page = await (await fetch(server.url + long.sharePath)).text();
      const shown = new Date((await expiryOf(long)) ?? 0).toISOString().slice(0, 16);
      assert.ok(page.includes(shown), "the page shows the same");

      await setTier(account, "pro", "--until", "60d");
      assert.equal(await expiryOf(byDefault), null);
      await assertExpires(long, 20 * DAY_MS);
      await assertExpires(shipment, 30 * DAY_MS);
      await assertExpires(anonymous, 2 * DAY_MS);
      await assertExpires(soon, 2 * HOUR_MS);
      await setTier(account, "free");
      for (const cut of [byDefault, long, shipment, anonymous]) await assertExpires(cut, DAY_MS);
      await setTier(account, "pro");
      await assertExpires(long, 20 * DAY_MS);
    });
  }

  test("an end that an administrator moves within the grace moves the expiry of the shares", async () => {
    const account = await newPro();
    const [file, long] = [await share(account), await share(account, { ttl: "20d" })];
    for (const hours of [2, 20, 1]) {
      await setTier(account, "pro", "--until", agoText(hours * HOUR_MS));
      for (const cut of [file, long]) await assertExpires(cut, (24 - hours) * HOUR_MS);
    }
    await setTier(account, "pro");
    await assertExpires(long, 20 * DAY_MS);
  });

  test("a share with a chosen expiry expires after the grace, with an event", async () => {
    const account = await newPro();
    const long = await share(account, { ttl: "20d" });
    await endPro(account, DAY_MS + 1000);
    assert.equal((await askShare(server, long.shortId)).status, 404);
    assert.ok((await eventsOf(server, long.id)).some(({ type }) => type === "file.expired"));
  });

  test("shares created or changed within the grace expire with it, and a renewal restores the chosen expiry", async () => {
    const account = await newPro("within");
    const [earlier, extended, other] = [await share(account), await share(account, { ttl: "20d" }), await share(account, { ttl: "20d" })];
    await endPro(account, HOUR_MS);
    const [file, long] = [await share(account), await share(account, { ttl: "10d" })];
    const forever = await share(account, { retention: "forever", visibility: "public" });
    for (const { expiresAt } of [file, long, forever]) assertNear(Date.parse(expiresAt ?? ""), Date.now() + 23 * HOUR_MS);
    await patch(account, earlier, { expiresAt: inText(15 * DAY_MS) });
    await patch(account, extended, { extendTtl: "30d" });
    await patch(account, other, { expiresAt: inText(HOUR_MS) });
    for (const cut of [earlier, extended, file, long, forever]) await assertExpires(cut, 23 * HOUR_MS);
    await assertExpires(other, HOUR_MS);
    await cleanUp(server);
    await setTier(account, "pro", "--until", "30d");
    for (const unlimited of [file, forever]) assert.equal(await expiryOf(unlimited), null);
    await assertExpires(long, 10 * DAY_MS);
    await assertExpires(earlier, 15 * DAY_MS);
    await assertExpires(extended, 30 * DAY_MS);
    await assertExpires(other, HOUR_MS);
  });

  test("a free account cannot extend shares from its time as Pro, and its later shares keep their own expiry", async () => {
    const account = await newPro();
    const long = await share(account, { ttl: "20d" });
    await setTier(account, "free");
    await patch(account, long, { expiresAt: inText(5 * DAY_MS) });
    await patch(account, long, { extendTtl: "7d" });
    await assertExpires(long, DAY_MS);
    const [file, chosen] = [await share(account), await share(account, { ttl: "5d" })];
    const anonymous = await upload(server, { bytes: "claimed", fields: { ttl: "2d" } });
    await claim(server, anonymous, account.key);
    await cleanUp(server);
    await assertExpires(long, DAY_MS);
    await assertExpires(file, 7 * DAY_MS);
    await assertExpires(chosen, 5 * DAY_MS);
    await assertExpires(anonymous, 2 * DAY_MS);
    await patch(account, chosen, { extendTtl: "6d" });
    await cleanUp(server);
    await assertExpires(chosen, 6 * DAY_MS);
  });

  test("an end set in the past leaves the shares of a free account unchanged", async () => {
    const account = await addAccount(server);
    const [file, chosen] = [await share(account), await share(account, { ttl: "5d" })];
    await setTier(account, "pro", "--until", agoText(HOUR_MS));
    await cleanUp(server);
    await assertExpires(file, 7 * DAY_MS);
    await assertExpires(chosen, 5 * DAY_MS);
  });
});
