import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { openPurchaseRecords, type Purchase } from "../../../src/client/records/purchase-records.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { makeFolder } from "../../support/folder.ts";

const NOW_MS = Date.parse("2030-01-30T12:00:00Z");
const purchase = (change: Partial<Purchase> = {}): Purchase => ({
  server: "http://10.0.0.7:8080",
  shortId: "7kXq9Zab",
  url: "https://files.example.org/d/7kXq9Zab",
  name: "song.flac",
  fileIds: ["5hQ2vR8kLm3xTz0B"],
  sessionId: "cs_1",
  checkoutUrl: "https://checkout.stripe.com/c/pay/cs_1",
  priceCents: 499,
  createdAt: "2030-01-30T11:00:00Z",
  availableUntil: "2030-01-31T12:00:00Z",
  ...change,
});

/** client buy, "The same command again" and "Downloading what was bought". */
describe("the records of purchases", () => {
  test("finds purchases by the share and its files, only at the server of the purchase", async () => {
    await using folder = await makeFolder();
    const records = openPurchaseRecords({ XDG_STATE_HOME: folder.path }, () => NOW_MS);
    const other = purchase({ server: "https://other.example", url: "https://other.example/d/7kXq9Zab" });
    const later = purchase({ sessionId: "cs_2", createdAt: "2030-01-30T11:30:00Z", purchaseToken: "pu_2" });
    for (const one of [purchase(), other, later]) await records.save(one);
    for (const [id, server] of [
      ["7kXq9Zab", "http://10.0.0.7:8080/api"],
      ["5hQ2vR8kLm3xTz0B", "https://files.example.org"],
    ] as const)
      assert.deepEqual(await records.findAll(id, server), [later, purchase()]);
    assert.deepEqual(await records.findAll("7kXq9Zab", "https://other.example"), [other]);
    for (const [id, server] of [
      ["7kXq9Zab", "https://third.example"],
      ["7kXq9Zab", "http://files.example.org"],
      ["7kxq9zab", "https://files.example.org"],
    ] as const)
      assert.deepEqual(await records.findAll(id, server), []);
    await records.save({ ...purchase(), purchaseToken: "pu_1" });
    await records.forget(later);
    assert.deepEqual(await records.findAll("7kXq9Zab", "https://files.example.org"), [{ ...purchase(), purchaseToken: "pu_1" }]);
  });

  test("forgets unpaid checkouts after 14 days, and purchases 30 days after their end", async () => {
    await using folder = await makeFolder();
    let nowMs = NOW_MS;
    const records = openPurchaseRecords({ XDG_STATE_HOME: folder.path }, () => nowMs);
    await records.save(purchase());
    await records.save(purchase({ sessionId: "cs_2", purchaseToken: "pu_2" }));
    await records.save(purchase({ sessionId: "cs_3", purchaseToken: "pu_3", availableUntil: null }));
    const sessions = async () => (await records.list()).map(({ sessionId }) => sessionId).sort();
    nowMs += 13 * DAY_MS;
    assert.deepEqual(await sessions(), ["cs_1", "cs_2", "cs_3"]);
    nowMs += 2 * DAY_MS;
    assert.deepEqual(await sessions(), ["cs_2", "cs_3"]);
    nowMs += 17 * DAY_MS;
    assert.deepEqual(await sessions(), ["cs_3"]);
    nowMs = NOW_MS;
    assert.deepEqual(await sessions(), ["cs_3"], "they are removed");
  });

  test("is readable only by its user, survives a damaged file, and keeps everything that several processes save", async () => {
    await using folder = await makeFolder();
    const env = { ...process.env, XDG_STATE_HOME: folder.path };
    const source = resolve(import.meta.dirname, "../../../src/client/records/purchase-records.ts");
    const code = `
      const { openPurchaseRecords } = await import(${JSON.stringify(source)});
      const records = openPurchaseRecords(process.env);
      const purchase = (sessionId) => ({ ...${JSON.stringify(purchase({ availableUntil: null, purchaseToken: "pu_1" }))}, sessionId });
      for (let n = 0; n < 10; n++) await records.save(purchase(process.env.NAME + n));
      for (let n = 0; n < 5; n++) await records.save(purchase("shared"));
    `;
    const children = ["a", "b"].map((NAME) => spawn(process.execPath, ["-e", code], { env: { ...env, NAME }, stdio: "inherit" }));
    for (const [exitCode] of await Promise.all(children.map((child) => once(child, "close")))) assert.equal(exitCode, 0);
    const own = join(folder.path, "filehost/purchases");
    await writeFile(join(own, "damaged.json"), "{");
    await chmod(join(own, "damaged.json"), 0o600);
    assert.equal((await openPurchaseRecords(env).list()).length, 21);
    assert.equal((await stat(own)).mode & 0o777, 0o700);
    for (const name of await readdir(own)) assert.equal((await stat(join(own, name))).mode & 0o777, 0o600, name);
  });
});
