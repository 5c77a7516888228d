import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { type AnonymousShare, openShareRecords } from "../../../src/client/records/share-records.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { makeFolder } from "../../support/folder.ts";

const NOW_MS = Date.parse("2030-01-30T12:00:00Z");
const share = (change: Partial<AnonymousShare> = {}): AnonymousShare => ({
  server: "https://files.example.org",
  shortId: "7kXq9Zab",
  url: "https://files.example.org/d/7kXq9Zab",
  name: "report.pdf",
  sizeBytes: 48_213,
  createdAt: "2030-01-30T11:00:00Z",
  expiresAt: "2030-01-31T12:00:00Z",
  fileIds: ["5hQ2vR8kLm3xTz0B"],
  claimToken: "claim_8sY2kQ",
  deletionToken: "del_4tR9wZ",
  ...change,
});

/** client, "Anonymous shares". */
describe("the records of anonymous shares", () => {
  test("finds a share by its short ID, the ID of a file and its link, only at the share's server", async () => {
    await using folder = await makeFolder();
    const records = openShareRecords({ XDG_STATE_HOME: folder.path }, () => NOW_MS);
    const other = share({ server: "https://other.example", url: "https://other.example/d/7kXq9Zab", fileIds: ["other"] });
    await records.add(share());
    await records.add(other);
    assert.deepEqual(await records.find("5hQ2vR8kLm3xTz0B"), share());
    assert.deepEqual(await records.find("https://files.example.org/d/7kXq9Zab?x=1#k"), share());
    assert.deepEqual(await records.find("7kXq9Zab", "https://other.example/api"), other);
    assert.equal(await records.find("https://third.example/d/7kXq9Zab"), undefined);
    assert.equal(await records.find("7kxq9zab"), undefined);
  });

  test("changes and forgets shares, and does not list those that have expired", async () => {
    await using folder = await makeFolder();
    const records = openShareRecords({ XDG_STATE_HOME: folder.path }, () => NOW_MS);
    await records.add(share());
    await records.add(share({ shortId: "newer000", createdAt: "2030-01-30T11:30:00Z", expiresAt: null }));
    await records.add(share({ shortId: "expired0", expiresAt: "2030-01-30T11:59:59Z" }));
    assert.deepEqual(
      (await records.list()).map(({ shortId }) => shortId),
      ["newer000", "7kXq9Zab"],
    );
    await records.update(share(), { expiresAt: null });
    await records.update(share({ shortId: "unknown0" }), { expiresAt: null });
    assert.equal((await records.find("7kXq9Zab"))?.expiresAt, null);
    await records.forget(share());
    assert.deepEqual(
      (await records.list()).map(({ shortId }) => shortId),
      ["newer000"],
    );
  });

  test("keeps an expired share and its tokens for 30 days, and finds it", async () => {
    await using folder = await makeFolder();
    let nowMs = NOW_MS;
    const records = openShareRecords({ XDG_STATE_HOME: folder.path }, () => nowMs);
    await records.add(share());
    nowMs += 2 * DAY_MS;
    assert.deepEqual(await records.list(), []);
    assert.deepEqual(await records.listExpired(), [share()]);
    assert.equal((await records.find("7kXq9Zab"))?.deletionToken, "del_4tR9wZ");
    nowMs += 28 * DAY_MS;
    assert.equal((await records.listExpired()).length, 1);
    nowMs += 2 * DAY_MS;
    assert.deepEqual(await records.listExpired(), []);
    nowMs = NOW_MS;
    assert.deepEqual(await records.list(), [], "it is forgotten");
  });

  test("is readable only by its user, and keeps everything that several processes add at the same time", async () => {
    await using folder = await makeFolder();
    const records = resolve(import.meta.dirname, "../../../src/client/records/share-records.ts");
    const code = `
      const { openShareRecords } = await import(${JSON.stringify(records)});
      const records = openShareRecords(process.env);
      const share = (shortId) => ({ ...${JSON.stringify(share({ expiresAt: null }))}, shortId });
      for (let n = 0; n < 10; n++) await records.add(share(process.env.NAME + n));
      await records.update(share("one"), { [process.env.NAME === "a" ? "claimToken" : "fragmentKey"]: "changed" });
    `;
    const env = { ...process.env, XDG_STATE_HOME: folder.path };
    await openShareRecords(env).add(share({ shortId: "one", expiresAt: null }));
    const children = ["a", "b"].map((NAME) => spawn(process.execPath, ["-e", code], { env: { ...env, NAME }, stdio: "inherit" }));
    for (const [exitCode] of await Promise.all(children.map((child) => once(child, "close")))) assert.equal(exitCode, 0);
    const shares = await openShareRecords(env).list();
    assert.equal(shares.length, 21);
    const both = shares.find(({ shortId }) => shortId === "one");
    assert.deepEqual([both?.claimToken, both?.fragmentKey], ["changed", "changed"]);
    const path = join(folder.path, "filehost", "shares");
    assert.equal((await stat(path)).mode & 0o777, 0o700);
    for (const name of await readdir(path)) assert.equal((await stat(join(path, name))).mode & 0o777, 0o600, name);
  });
});
