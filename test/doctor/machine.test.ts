import assert from "node:assert/strict";
import { once } from "node:events";
import { statSync } from "node:fs";
import { chmod, chown, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createClient } from "@libsql/client";
import { execute } from "../cli/support.ts";
import { makeFolder } from "../support/folder.ts";
import { startServer } from "../support/server.ts";
import { assertFinding, consult } from "./support.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

/** A folder of another file system than the temporary one. */
const otherFileSystem = [undefined, findDevice(tmpdir())].includes(findDevice("/dev/shm")) ? undefined : "/dev/shm";

function findDevice(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.dev;
}

/** What a start and a stop leave. */
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

/** decisions, "Command line" (doctor), "Scanning". */
describe("doctor on a disk", () => {
  test("before the first start: nothing fails, nothing is made", async () => {
    await using folder = await makeFolder();
    const report = await consult(folder.path, {});
    assertFinding(report.find("data folder"), "ok", /data is made at the first start/);
    assertFinding(report.find("database"), "ok", /filehost\.db is made at the first start/);
    assertFinding(report.find("FILEHOST_URL"), "warn", /works on this machine alone/, /Set FILEHOST_URL/);
    assertFinding(report.find("scanner"), "warn", /NOTHING IS SCANNED FOR MALWARE/);
    assert.deepEqual(await readdir(folder.path), []);
  });

  test("beside a server that runs: all of it is found well, and nothing is left", { timeout: 30_000 }, async () => {
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "1MB" } });
    const env = {
      FILEHOST_DATA: server.dataDir,
      FILEHOST_LISTEN: new URL(server.url).host,
      FILEHOST_URL: server.url,
      FILEHOST_MIN_FREE: "1MB",
    };
    const before = await readdir(server.dataDir, { recursive: true });
    const report = await consult("/", env);
    assert.equal(report.code, 0);
    assertFinding(report.find("server"), "ok", /runs at http/);
    assertFinding(report.find("public address"), "ok", /leads to filehost/);
    assertFinding(report.find("free space"), "ok", /free; uploads leave 1 MB/);
    assertFinding(report.find("file store"), "ok", /on one file system/);
    assertFinding(report.find("database"), "ok", /schema \d+$/);
    assertFinding(report.find("database file"), "ok", /looked through, and whole/);
    assertFinding(report.find("secret"), "ok", /owner's alone/);
    assert.deepEqual(await readdir(server.dataDir, { recursive: true }), before);
    const sent = await fetch(`${server.url}/x.txt`, { method: "PUT", body: "still works" });
    assert.equal(sent.status, 200);
  });

  test("as text: a line for each finding, how to mend it below, and a count on stderr", async () => {
    await using folder = await makeFolder();
    const { code, stdout, stderr } = await execute(["doctor"], { cwd: folder.path, env: { FILEHOST_SCANNER: "off" } });
    assert.equal(code, 0);
    assert.match(stdout, /^ok {4}settings +1 given: FILEHOST_SCANNER$/m);
    assert.match(stdout, /^warn {2}FILEHOST_URL +is not set: .*\n {8}Set FILEHOST_URL to the public address/m);
    for (const line of stdout.trimEnd().split("\n")) assert.match(line, /^(ok {4}|warn {2}|fail {2}| {8})\S/);
    assert.match(stderr, /^0 failures, [1-9] warnings\.\n$/);
  });

  test("settings that cannot be read are failures, and nothing else is looked at", async () => {
    await using folder = await makeFolder();
    const { findings } = await consult(folder.path, { FILEHOST_MIN_FREE: "much", FILEHOST_URL: "files.example.org" });
    assert.deepEqual(
      findings.map(({ status, what, detail }) => [status, what, detail.split(":")[0]]),
      [
        ["fail", "settings", "FILEHOST_URL"],
        ["fail", "settings", "FILEHOST_MIN_FREE"],
      ],
    );
  });

  test("an unknown setting, and secrets that others can read", async () => {
    await using folder = await makeUsedFolder();
    const path = join(folder.path, "key");
    await writeFile(path, SECRET, { mode: 0o644 });
    const report = await consult(folder.path, { FILEHOST_SECRET_FILE: path, FILEHOST_LISTN: "1" });
    assertFinding(report.findings[0] ?? report.find("settings"), "warn", /FILEHOST_LISTN is not a setting.*FILEHOST_LISTEN/);
    assertFinding(report.find("FILEHOST_SECRET_FILE"), "warn", /mode 644/, new RegExp(`^chmod 600 ${path}$`));
    await chmod(path, 0o600);
    assert.equal((await consult(folder.path, { FILEHOST_SECRET_FILE: path })).find("FILEHOST_SECRET_FILE").status, "ok");
    await chmod(join(folder.data, "secret"), 0o640);
    const own = await consult(folder.path, {});
    assertFinding(own.find("secret"), "warn", /mode 640/);
    assert.ok(!own.printed.includes(await readFile(join(folder.data, "secret"), "utf8").then((text) => text.trim())));
    assert.ok(!report.printed.includes(SECRET));
  });

  for (const [name, env, what, status, says] of [
    ["listening for others without an address", { FILEHOST_LISTEN: "0.0.0.0:8080" }, "FILEHOST_URL", "fail", /listens for others/],
    ["a public address without TLS", { FILEHOST_URL: "http://files.example.org" }, "FILEHOST_URL", "warn", /without TLS/],
    ["a private address without TLS", { FILEHOST_URL: "http://192.168.1.7:8080" }, "FILEHOST_URL", "ok", /192\.168/],
    ["listening for others without a proxy", { FILEHOST_LISTEN: "0.0.0.0:8080" }, "connections", "warn", /nothing limits how many/],
    ["a public address without a proxy", { FILEHOST_URL: "https://files.example.org" }, "connections", "warn", /nothing limits how many/],
    [
      "https without a trusted proxy",
      { FILEHOST_URL: "https://files.example.org" },
      "FILEHOST_TRUSTED_PROXIES",
      "warn",
      /all visitors count as one/,
    ],
    [
      "https behind a trusted proxy",
      { FILEHOST_URL: "https://files.example.org", FILEHOST_TRUSTED_PROXIES: "127.0.0.1" },
      "FILEHOST_TRUSTED_PROXIES",
      "ok",
      /^127\.0\.0\.1\/32$/,
    ],
    [
      "trust in everybody",
      { FILEHOST_URL: "http://10.0.0.1", FILEHOST_TRUSTED_PROXIES: "0.0.0.0/0" },
      "FILEHOST_TRUSTED_PROXIES",
      "warn",
      /anybody/,
    ],
    [
      "an API without TLS on a site with it",
      { FILEHOST_URL: "https://files.example.org", FILEHOST_BASE_URL: "http://api.example.org" },
      "FILEHOST_BASE_URL",
      "warn",
      /browsers refuse/,
    ],
  ] as const) {
    test(`addresses: ${name}`, async () => {
      await using folder = await makeFolder();
      assertFinding((await consult(folder.path, env)).find(what), status, says);
    });
  }

  test("connections are the proxy's to limit, where one is in front; how many files may be open", async () => {
    await using folder = await makeFolder();
    const behind = { FILEHOST_URL: "https://files.example.org", FILEHOST_TRUSTED_PROXIES: "127.0.0.1", FILEHOST_CONNECTIONS: "1000" };
    for (const env of [behind, { FILEHOST_CONNECTIONS: "1000" }]) {
      const report = await consult(folder.path, env);
      assert.ok(!report.findings.some(({ what }) => what === "connections"));
      assertFinding(report.find("open files"), "ok", /from 1000 on, idle connections are closed/);
    }
  });

  test("another program at the port", { timeout: 30_000 }, async () => {
    const other = createServer((_request, response) => void response.writeHead(404).end()).listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    assert.ok(address !== null && typeof address === "object");
    await using folder = await makeFolder();
    const report = await consult(folder.path, { FILEHOST_LISTEN: `127.0.0.1:${address.port}` });
    other.close();
    assertFinding(report.find("server"), "warn", /not filehost, or not well: it answers 404/, /FILEHOST_LISTEN/);
  });

  test("a data folder that cannot be one, and a disk without the room that is wanted", async () => {
    await using folder = await makeFolder();
    await writeFile(join(folder.path, "data"), "in the way");
    assertFinding((await consult(folder.path, {})).find("data folder"), "fail", /data is not a folder/, /FILEHOST_DATA/);
    const inside = await consult(folder.path, { FILEHOST_DATA: join(folder.path, "data", "inside") });
    assertFinding(inside.find("data folder"), "fail", /cannot be made: a part of the path is not a folder/);
    await rm(join(folder.path, "data"));
    await mkdir(join(folder.path, "data"));
    const full = await consult(folder.path, { FILEHOST_MIN_FREE: "900TB" });
    assertFinding(full.find("free space"), "fail", /less than FILEHOST_MIN_FREE \(900 TB\): uploads are refused with 507/, /du -xh/);
  });

  test("folders of the store on different file systems", { skip: otherFileSystem ? false : "there is one file system alone" }, async () => {
    await using folder = await makeUsedFolder();
    const elsewhere = join(otherFileSystem ?? "", `filehost-doctor-${process.pid}`);
    await mkdir(elsewhere);
    try {
      await rm(join(folder.data, "blobs"), { recursive: true });
      await symlink(elsewhere, join(folder.data, "blobs"));
      assertFinding((await consult(folder.path, {})).find("file store"), "fail", /different file systems/, /Mount one file system/);
      assert.deepEqual(await readdir(elsewhere), []);
      assert.deepEqual(await readdir(join(folder.data, "staging")), []);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  test("run as another user than the folder's", { skip: process.getuid?.() === 0 ? false : "needs root" }, async () => {
    await using folder = await makeUsedFolder();
    await chown(folder.data, 12345, 12345);
    assertFinding((await consult(folder.path, {})).find("user"), "warn", /of the user 12345/, /sudo -u '#12345'/);
  });
});

describe("doctor on a database file", () => {
  test("of an older version is told of, and not migrated", async () => {
    await using folder = await makeUsedFolder();
    await runSql(folder.database, ["DELETE FROM migrations WHERE number = (SELECT max(number) FROM migrations)"]);
    const before = await readdir(folder.data);
    const report = await consult(folder.path, {});
    assertFinding(report.find("database"), "ok", /of an older version: the next start brings it up to date \(\d{4}-/);
    assert.deepEqual(await readdir(folder.data), before);
    assertFinding((await consult(folder.path, {})).find("database"), "ok", /older/);
  });

  test("of a newer version fails", async () => {
    await using folder = await makeUsedFolder();
    await runSql(folder.database, ["INSERT INTO migrations (name, applied_at) VALUES ('9999-later', 0)"]);
    assertFinding((await consult(folder.path, {})).find("database"), "fail", /9999-later/, /newer filehost/);
  });

  test("that is none, or damaged", async () => {
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
    assertFinding((await consult(folder.path, {})).find("database file"), "fail", /is damaged: /, /restore the last backup/);
    await writeFile(folder.database, "This is not what it says it is. ".repeat(200));
    assertFinding((await consult(folder.path, {})).find("database"), "fail", /is not a database/, /FILEHOST_DATA/);
  });

  test("with a scanner that was seen once and is gone fails; nothing else lets files through", async () => {
    await using folder = await makeUsedFolder();
    assert.equal((await consult(folder.path, { FILEHOST_SCANNER: "auto" })).find("scanner").status, "warn");
    await runSql(folder.database, ["INSERT INTO settings (name, value) VALUES ('scanner_seen', 'yes')"]);
    const report = await consult(folder.path, { FILEHOST_SCANNER: "auto" });
    assertFinding(report.find("scanner"), "fail", /there was one before, so one is required/, /FILEHOST_SCANNER=off/);
  });
});
