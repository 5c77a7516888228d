import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { chmod, chown, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createClient } from "@libsql/client";
import { openDatabase } from "../../src/db/open.ts";
import { execute } from "../cli/support.ts";
import { FORMER_MIGRATIONS } from "../db/support.ts";
import { makeFolder } from "../support/folder.ts";
import { startServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { assertResult, consult } from "./support.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

/** A folder on another file system than the temporary folder; undefined if there is none. */
const otherFileSystem = [undefined, readDeviceRequest(tmpdir())].includes(readDeviceRequest("/dev/shm")) ? undefined : "/dev/shm";

function readDeviceRequest(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.dev;
}

/** A data folder as a command leaves it: with a database and a secret. */
async function makeUsedFolder() {
  const folder = await makeFolder();
  const created = await execute(["users", "create", "--email", "a@example.org", "--name", "A"], { cwd: folder.path });
  assert.equal(created.code, 0, created.stderr);
  return { ...folder, data: join(folder.path, "data"), database: join(folder.path, "data", "filehost.db") };
}

async function runSql(path: string, statements: readonly string[]): Promise<void> {
  const client = createClient({ url: `file:${path}` });
  for (const statement of statements) await client.execute(statement);
  client.close();
}

/** command line, "Commands" (doctor); addresses, "Base addresses"; connections, "Too many connections". */
describe("doctor on a disk", () => {
  test("reports no failure and creates nothing before the first start", async () => {
    await using folder = await makeFolder();
    const report = await consult(folder.path, {});
    assertResult(report.find("data folder"), "ok", /data is created on first start/);
    assertResult(report.find("database"), "ok", /filehost\.db is created on first start/);
    assertResult(report.find("FILEHOST_URL"), "warn", /works only on this machine/, /Set FILEHOST_URL/);
    assertResult(report.find("scanner"), "warn", /Malware scanning is off/);
    assert.deepEqual(await readdir(folder.path), []);
  });

  test("passes next to a running server, and leaves no files", async () => {
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "1MB" } });
    const env = {
      FILEHOST_DATA: server.dataDir,
      FILEHOST_LISTEN: new URL(server.url).host,
      FILEHOST_URL: server.url,
      FILEHOST_MIN_FREE: "1MB",
    };
    await until("the store is marked", () => existsSync(join(server.dataDir, "blobs", ".store-identity")));
    const before = (await readdir(server.dataDir, { recursive: true })).sort();
    const report = await consult("/", env);
    assert.equal(report.code, 0);
    assertResult(report.find("server"), "ok", /running at http/);
    assertResult(report.find("public URL"), "ok", /leads to filehost/);
    assertResult(report.find("free space"), "ok", /free; uploads leave 1 MB/);
    assertResult(report.find("file store"), "ok", /on one file system/);
    assertResult(report.find("database"), "ok", /schema \d+$/);
    assertResult(report.find("database file"), "ok", /integrity check passed/);
    assertResult(report.find("secret"), "ok", /readable only by its owner/);
    assert.deepEqual((await readdir(server.dataDir, { recursive: true })).sort(), before);
    assertResult(report.find("store and database"), "ok", /belong together/);
    const sent = await fetch(`${server.url}/x.txt`, { method: "PUT", body: "still works" });
    assert.equal(sent.status, 200);
  });

  test("prints one line per result, its fix below, and a count on stderr", async () => {
    await using folder = await makeFolder();
    const { code, stdout, stderr } = await execute(["doctor"], { cwd: folder.path, env: { FILEHOST_SCANNER: "off" } });
    assert.equal(code, 0);
    assert.match(stdout, /^ok {4}settings +1 set: FILEHOST_SCANNER$/m);
    assert.match(stdout, /^warn {2}FILEHOST_URL +is not set: .*\n {8}Set FILEHOST_URL to the public URL/m);
    for (const line of stdout.trimEnd().split("\n")) assert.match(line, /^(ok {4}|warn {2}|fail {2}| {8})\S/);
    assert.match(stderr, /^0 failures, [1-9] warnings\.\n$/);
  });

  test("fails for invalid settings and runs no other checks", async () => {
    await using folder = await makeFolder();
    const { results } = await consult(folder.path, { FILEHOST_MIN_FREE: "much", FILEHOST_URL: "files.example.org" });
    assert.deepEqual(
      results.map(({ status, what, detail }) => [status, what, detail.split(":")[0]]),
      [
        ["fail", "settings", "FILEHOST_URL"],
        ["fail", "settings", "FILEHOST_MIN_FREE"],
      ],
    );
  });

  test("warns of an unknown setting and of secrets that other users can read", async () => {
    await using folder = await makeUsedFolder();
    const path = join(folder.path, "key");
    await writeFile(path, SECRET, { mode: 0o644 });
    const report = await consult(folder.path, { FILEHOST_SECRET_FILE: path, FILEHOST_LISTN: "1" });
    assertResult(report.results[0] ?? report.find("settings"), "warn", /FILEHOST_LISTN is not a setting.*FILEHOST_LISTEN/);
    assertResult(report.find("FILEHOST_SECRET_FILE"), "warn", /mode 644/, new RegExp(`^chmod 600 ${path}$`));
    await chmod(path, 0o600);
    assert.equal((await consult(folder.path, { FILEHOST_SECRET_FILE: path })).find("FILEHOST_SECRET_FILE").status, "ok");
    await chmod(join(folder.data, "secret"), 0o640);
    const own = await consult(folder.path, {});
    assertResult(own.find("secret"), "warn", /mode 640/);
    assert.ok(!own.printed.includes(await readFile(join(folder.data, "secret"), "utf8").then((text) => text.trim())));
    assert.ok(!report.printed.includes(SECRET));
  });

  for (const [name, env, what, status, says] of [
    [
      "listening for other machines without a URL",
      { FILEHOST_LISTEN: "0.0.0.0:8080" },
      "FILEHOST_URL",
      "fail",
      /listens for other machines/,
    ],
    ["a public URL without TLS", { FILEHOST_URL: "http://files.example.org" }, "FILEHOST_URL", "warn", /has no TLS/],
    ["a private URL without TLS", { FILEHOST_URL: "http://192.168.1.7:8080" }, "FILEHOST_URL", "ok", /192\.168/],
    [
      "listening for other machines without a proxy",
      { FILEHOST_LISTEN: "0.0.0.0:8080" },
      "connections",
      "warn",
      /one address can open any number/,
    ],
    [
      "a public URL without a proxy",
      { FILEHOST_URL: "https://files.example.org" },
      "connections",
      "warn",
      /one address can open any number/,
    ],
    [
      "https without a trusted proxy",
      { FILEHOST_URL: "https://files.example.org" },
      "FILEHOST_TRUSTED_PROXIES",
      "warn",
      /all clients share the limits of one address/,
    ],
    [
      "https behind a trusted proxy",
      { FILEHOST_URL: "https://files.example.org", FILEHOST_TRUSTED_PROXIES: "127.0.0.1" },
      "FILEHOST_TRUSTED_PROXIES",
      "ok",
      /^127\.0\.0\.1\/32$/,
    ],
    [
      "trust in every address",
      { FILEHOST_URL: "http://10.0.0.1", FILEHOST_TRUSTED_PROXIES: "0.0.0.0/0" },
      "FILEHOST_TRUSTED_PROXIES",
      "warn",
      /clients can fake their address/,
    ],
    [
      "an API without TLS on a site with it",
      { FILEHOST_URL: "https://files.example.org", FILEHOST_BASE_URL: "http://api.example.org" },
      "FILEHOST_BASE_URL",
      "warn",
      /browsers block/,
    ],
  ] as const) {
    test(`checks the addresses: ${name}`, async () => {
      await using folder = await makeFolder();
      assertResult((await consult(folder.path, env)).find(what), status, says);
    });
  }

  test("warns of unlimited connections only without a proxy, and reports the limit of open files", async () => {
    await using folder = await makeFolder();
    const behind = { FILEHOST_URL: "https://files.example.org", FILEHOST_TRUSTED_PROXIES: "127.0.0.1", FILEHOST_CONNECTIONS: "1000" };
    for (const env of [behind, { FILEHOST_CONNECTIONS: "1000" }]) {
      const report = await consult(folder.path, env);
      assert.ok(!report.results.some(({ what }) => what === "connections"));
      assertResult(report.find("open files"), "ok", /above 1000, idle connections are closed/);
    }
  });

  test("warns of another program on the port", async () => {
    const other = createServer((_request, response) => void response.writeHead(404).end()).listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    assert.ok(address !== null && typeof address === "object");
    await using folder = await makeFolder();
    const report = await consult(folder.path, { FILEHOST_LISTEN: `127.0.0.1:${address.port}` });
    other.close();
    assertResult(report.find("server"), "warn", /not filehost, or is unhealthy: it responds with status 404/, /FILEHOST_LISTEN/);
  });

  test("fails for a data folder that is a file, and for a disk with too little free space", async () => {
    await using folder = await makeFolder();
    await writeFile(join(folder.path, "data"), "in the way");
    assertResult((await consult(folder.path, {})).find("data folder"), "fail", /data is not a folder/, /FILEHOST_DATA/);
    const inside = await consult(folder.path, { FILEHOST_DATA: join(folder.path, "data", "inside") });
    assertResult(inside.find("data folder"), "fail", /cannot be created: a part of the path is not a folder/);
    await rm(join(folder.path, "data"));
    await mkdir(join(folder.path, "data"));
    const full = await consult(folder.path, { FILEHOST_MIN_FREE: "900TB" });
    assertResult(full.find("free space"), "fail", /less than FILEHOST_MIN_FREE \(900 TB\): uploads are rejected with 507/, /du -xh/);
  });

  test("fails for folders of the store on different file systems", {
    skip: otherFileSystem ? false : "there is only one file system",
  }, async () => {
    await using folder = await makeUsedFolder();
    const elsewhere = join(otherFileSystem ?? "", `filehost-doctor-${process.pid}`);
    await mkdir(elsewhere);
    try {
      await rm(join(folder.data, "blobs"), { recursive: true });
      await symlink(elsewhere, join(folder.data, "blobs"));
      assertResult((await consult(folder.path, {})).find("file store"), "fail", /different file systems/, /Mount one file system/);
      assert.deepEqual(await readdir(elsewhere), []);
      assert.deepEqual(await readdir(join(folder.data, "staging")), []);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  test("warns if it runs as another user than the folder's", { skip: process.getuid?.() === 0 ? false : "needs root" }, async () => {
    await using folder = await makeUsedFolder();
    await chown(folder.data, 12345, 12345);
    assertResult((await consult(folder.path, {})).find("user"), "warn", /belongs to the user 12345/, /sudo -u '#12345'/);
  });
});

describe("doctor on a database file", () => {
  test("refuses a former schema, as commands and the server do, and leaves the file unchanged", async () => {
    await using folder = await makeFolder();
    const path = join(folder.path, "data", "filehost.db");
    await (await openDatabase({ url: `file:${path}`, migrations: FORMER_MIGRATIONS }))[Symbol.asyncDispose]();
    const before = await readFile(path);
    assertResult((await consult(folder.path, {})).find("database"), "fail", /which this version does not upgrade/, /commit cbceac3/);
    for (const words of [["users", "list"], ["serve"]]) {
      const { code, stderr } = await execute(words, { cwd: folder.path, env: { FILEHOST_SCANNER: "off", FILEHOST_LISTEN: "127.0.0.1:0" } });
      assert.notEqual(code, 0);
      assert.match(stderr, /does not upgrade\. Open it with commit cbceac3/, words.join(" "));
    }
    assert.ok(before.equals(await readFile(path)));
  });

  test("fails if a newer version has migrated the database", async () => {
    await using folder = await makeUsedFolder();
    await runSql(folder.database, ["INSERT INTO migrations (name, applied_at) VALUES ('9999-later', 0)"]);
    assertResult((await consult(folder.path, {})).find("database"), "fail", /9999-later/, /newer filehost/);
  });

  test("fails for a damaged database and for a file that is not a database", async () => {
    await using folder = await makeUsedFolder();
    await runSql(folder.database, [
      "CREATE TABLE bulk (id INTEGER PRIMARY KEY, text TEXT)",
      "INSERT INTO bulk WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, hex(randomblob(50)) FROM n",
      "PRAGMA wal_checkpoint(TRUNCATE)",
    ]);
    const bytes = await readFile(folder.database);
    bytes.fill(0x5a, bytes.length - 8 * 4096, bytes.length - 4 * 4096);
    for (const name of await readdir(folder.data)) if (name.startsWith("filehost.db-")) await rm(join(folder.data, name));
    await writeFile(folder.database, bytes);
    assertResult((await consult(folder.path, {})).find("database file"), "fail", /is damaged: /, /restore the last backup/);
    await writeFile(folder.database, "This is not what it says it is. ".repeat(200));
    assertResult((await consult(folder.path, {})).find("database"), "fail", /is not a database/, /FILEHOST_DATA/);
  });

  test("fails if no scanner is found and the database records an earlier one", async () => {
    await using folder = await makeUsedFolder();
    assert.equal((await consult(folder.path, { FILEHOST_SCANNER: "auto" })).find("scanner").status, "warn");
    await runSql(folder.database, ["INSERT INTO server_state (name, value) VALUES ('scanner_seen', 'yes')"]);
    const report = await consult(folder.path, { FILEHOST_SCANNER: "auto" });
    assertResult(report.find("scanner"), "fail", /a scanner was used before, so it is required/, /FILEHOST_SCANNER=off/);
  });
});
