import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { DEFAULT_TIERS } from "../../src/config/tiers.ts";
import { execute, makeDataFolder, run, runJson } from "./support.ts";

interface Shown {
  readonly name: string;
  readonly value: string | null;
  readonly source: string;
  readonly help: string;
}

/**
 * configuration, "Where a setting comes from", "Forms of values" and "Limits that the administrator sets"; command line, "Administration" and
 * "Output".
 */
describe("config", () => {
  it("shows every setting's value and source, without secrets", async () => {
    await using folder = await makeDataFolder();
    const path = join(folder.path, "secret");
    await writeFile(path, "0123456789abcdef0123456789abcdef\n");
    const env = {
      FILEHOST_LISTEN: "127.0.0.1:9",
      FILEHOST_SECRET_FILE: path,
      FILEHOST_DB_TOKEN: "hidden-token",
      FILEHOST_DB_URL: "https://me:hidden@db.example.org/",
    };
    const words = ["config", "--listen", "127.0.0.1:10", "--trusted-proxies=10.0.0.0/8"];
    const shown = await runJson<Shown[]>(words, env);
    assert.deepEqual(
      shown.map(({ name }) => name),
      Object.keys(SETTINGS).map((name) => `FILEHOST_${name}`),
    );
    const find = (name: string) => {
      const { value, source } = shown.find((setting) => setting.name === name) ?? {};
      return { value, source };
    };
    assert.deepEqual(find("FILEHOST_LISTEN"), { value: "127.0.0.1:10", source: "flag" });
    assert.deepEqual(find("FILEHOST_TRUSTED_PROXIES"), { value: "10.0.0.0/8", source: "flag" });
    assert.deepEqual(find("FILEHOST_SECRET"), { value: "********", source: "file" });
    assert.deepEqual(find("FILEHOST_DB_TOKEN"), { value: "********", source: "environment" });
    assert.deepEqual(find("FILEHOST_DATA"), { value: "./data", source: "default" });
    assert.deepEqual(find("FILEHOST_URL"), { value: null, source: "default" });
    const { stdout } = await run(words, env);
    assert.match(stdout, /^FILEHOST_LISTEN +127\.0\.0\.1:10 +flag /m);
    assert.ok(!/hidden|0123456789/.test(stdout + JSON.stringify(shown)));
  });

  it("lists invalid settings, one line each, with their syntax", async () => {
    const env = { FILEHOST_MIN_FREE: "much", FILEHOST_URL: "files.example.org", FILEHOST_QUARANTINE_DAYS: "-1", FILEHOST_ANONYMOUS: "yes" };
    for (const words of [["config"], ["serve"], ["users", "list"], ["health"]]) {
      const flags = words[0] === "config" ? ["--log", "loud"] : [];
      const { code, stdout, stderr } = await run([...words, ...flags], env);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^ {2}FILEHOST_MIN_FREE: write a size such as 500MB or 2GB, at most 1024TB$/m);
      assert.match(stderr, /^ {2}FILEHOST_URL: write a URL such as https:/m);
      assert.match(stderr, /^ {2}FILEHOST_QUARANTINE_DAYS: write a number of days/m);
      assert.match(stderr, /^ {2}FILEHOST_ANONYMOUS: write on or off$/m);
      if (flags.length > 0) assert.match(stderr, /^ {2}--log: write a level/m);
    }
  });

  it("accepts common notations", () => {
    const { config, warnings } = loadConfig({
      FILEHOST_S3_PATH_STYLE: "true",
      FILEHOST_STORAGE: "s3",
      FILEHOST_S3_BUCKET: "files",
      FILEHOST_ANONYMOUS: "False",
      FILEHOST_RATE_LIMITS: "0",
      FILEHOST_MIN_FREE: "2GiB",
      FILEHOST_CLAMD: "tcp://127.0.0.1:3310",
      FILEHOST_TRUSTED_PROXIES: "127.0.0.1 ::1, 10.0.0.0/8",
      FILEHOST_ALLOWED_ORIGINS: "https://App.example.org:443/,http://localhost:3000",
      FILEHOST_SECRET: "shared by the nodes",
    });
    assert.ok(config.storage.kind === "s3" && config.storage.pathStyle);
    assert.deepEqual([config.anonymousUploads, config.limitsGeneralRate, config.minFreeBytes], [false, false, 2 * 1024 ** 3]);
    assert.equal(config.scanner.clamd, "tcp:127.0.0.1:3310");
    assert.equal(config.trustedProxies.length, 3);
    assert.deepEqual(config.allowedOrigins, ["https://app.example.org", "http://localhost:3000"]);
    assert.match(warnings.join(), /^FILEHOST_SECRET is short/);
  });

  it("refuses an invalid database URL, scanner address or origin", async () => {
    const wrong = {
      FILEHOST_DB_URL: ["postgres://db/files", "filehost.db", "libsql:"],
      FILEHOST_CLAMD: ["nowhere", "tcp:127.0.0.1:99999", "unix:socket"],
      FILEHOST_ALLOWED_ORIGINS: ["app.example.org", "https://app.example.org/page", "*"],
      FILEHOST_SECRET: ["fifteen letters"],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        const { code, stderr } = await run(["config"], { [name]: value });
        assert.equal(code, 2, `${name}=${value}`);
        assert.match(stderr, new RegExp(`^ {2}${name}: `, "m"));
      }
    }
  });

  it("reads a secret from a file, and warns of a file for other settings", async () => {
    await using folder = await makeDataFolder();
    const path = join(folder.path, "id");
    await writeFile(path, "AKIA\n");
    const { config, settings } = loadConfig({
      FILEHOST_STORAGE: "s3",
      FILEHOST_S3_BUCKET: "files",
      FILEHOST_S3_ACCESS_KEY_ID_FILE: path,
      FILEHOST_S3_SECRET_ACCESS_KEY_FILE: path,
    });
    assert.deepEqual(config.storage.kind === "s3" && config.storage.credentials, { accessKeyId: "AKIA", secretAccessKey: "AKIA" });
    assert.equal(settings.find(({ name }) => name === "FILEHOST_S3_ACCESS_KEY_ID")?.source, "file");
    const secretPath = join(folder.path, "secret");
    await writeFile(secretPath, "from the file that a flag names, at length");
    const env = { FILEHOST_SECRET: "from the environment", FILEHOST_SECRET_FILE: path };
    const shown = await runJson<Shown[]>(["config", "--secret-file", secretPath], env);
    assert.equal(shown.find(({ name }) => name === "FILEHOST_SECRET")?.source, "file");
    assert.equal(loadConfig(env, { SECRET_FILE: secretPath }).config.secret, "from the file that a flag names, at length");
    const missing = await run(["serve", "--secret-file", join(folder.path, "missing")]);
    assert.deepEqual([missing.code, missing.stdout], [2, ""]);
    assert.match(missing.stderr, /--secret-file: cannot read .*missing/);
    assert.equal((await run(["config", "--data-file", path])).code, 2);
    assert.match(loadConfig({ FILEHOST_DATA_FILE: path }).warnings.join(), /^FILEHOST_DATA_FILE is not a setting.*FILEHOST_DATA\?$/);
  });

  it("merges limits from JSON over the defaults, and refuses unknown names", async () => {
    for (const limits of [
      '{"tiers":{"gold":{}}}',
      '{"tiers":{"free":{"folders":1}}}',
      '{"tiers":{"free":{"files":0}}}',
      '{"rates":{"uploads":1}}',
      '{"rates":{"anonymous":0}}',
      '{"more":1}',
      "[]",
      "{",
    ]) {
      const { code, stderr } = await run(["config"], { FILEHOST_LIMITS: limits });
      assert.equal(code, 2, limits);
      assert.match(stderr, /^ {2}FILEHOST_LIMITS: \S/m);
    }
    const { config } = loadConfig({ FILEHOST_LIMITS: '{"tiers":{"free":{"fileBytes":"1GB","retention":"2d"}},"rates":{"pro":70}}' });
    assert.deepEqual(config.tiers.free, { ...DEFAULT_TIERS.free, fileBytes: 1024 ** 3, retentionMs: 2 * 86_400_000 });
    assert.deepEqual([config.tiers.pro, config.rates.pro.limit, config.rates.free.limit], [DEFAULT_TIERS.pro, 70, 100]);
  });

  it("reads the sponsor's file and the wait, or explains what is wrong", async () => {
    await using folder = await makeDataFolder();
    const write = async (name: string, bytes: string | Uint8Array): Promise<string> => {
      await writeFile(join(folder.path, name), bytes);
      return join(folder.path, name);
    };
    const load = (FILEHOST_SPONSOR_FILE?: string, FILEHOST_DOWNLOAD_WAIT?: string) =>
      loadConfig({ FILEHOST_SPONSOR_FILE, FILEHOST_DOWNLOAD_WAIT }).config.sponsoring;
    assert.deepEqual(load(), { html: undefined, waitMs: 0 });
    assert.deepEqual(load(await write("good.html", "\ufeff<p>Größe</p>\n"), "300"), { html: "<p>Größe</p>", waitMs: 300_000 });
    assert.equal(load(await write("largest.html", "x".repeat(65_536))).html?.length, 65_536);
    const wrong: readonly (readonly [path: string, says: RegExp])[] = [
      [join(folder.path, "missing.html"), /cannot read .*missing\.html \(.*ENOENT/],
      [folder.path, /is not a file/],
      ["/dev/zero", /\/dev\/zero is not a file/],
      [await write("large.html", "x".repeat(65_537)), /large\.html is larger than 64 KB/],
      [await write("picture.html", Uint8Array.of(0xff, 0xd8, 0xff)), /picture\.html is not text in UTF-8/],
      [await write("empty.html", " \n"), /empty\.html is empty/],
    ];
    for (const [FILEHOST_SPONSOR_FILE, says] of wrong) {
      const { code, stderr } = await run(["serve"], { FILEHOST_SPONSOR_FILE });
      assert.equal(code, 2, FILEHOST_SPONSOR_FILE);
      assert.match(stderr, new RegExp(`^ {2}FILEHOST_SPONSOR_FILE: .*${says.source}`, "m"));
    }
    for (const seconds of ["301", "1.5", "-1", "5s", "1e2"])
      assert.throws(() => load(undefined, seconds), /FILEHOST_DOWNLOAD_WAIT: write whole seconds from 0 to 300/, seconds);
  });

  it("limits imports to a minute without a byte, five minutes per request and a day per job", () => {
    const { idleMs, waitMs, totalMs } = loadConfig({}).config.imports;
    assert.deepEqual([idleMs, waitMs, totalMs], [60_000, 5 * 60_000, 86_400_000]);
  });

  it("warns of an unknown name", async () => {
    const { code, stderr } = await run(["config"], { FILEHOST_LISTN: "127.0.0.1:1" });
    assert.equal(code, 0);
    assert.match(stderr, /FILEHOST_LISTN is not a setting.*FILEHOST_LISTEN/);
    assert.match(loadConfig({ FILEHOST_PORT: "80" }).warnings.join(), /FILEHOST_PORT is not a setting.*FILEHOST_LISTEN\?$/);
    assert.deepEqual(loadConfig({ FILEHOST_PROFILE: "work", FILEHOST_UNLOCK_CODE: "K7MP3X" }).warnings, loadConfig({}).warnings);
  });
});

describe("a folder without a database", () => {
  for (const words of [["users", "list"], ["keys", "list"], ["cleanup"], ["audit"], ["takedown", "4kTqW9xZ"], ["rescan", "--all-failed"]]) {
    it(`is reported as missing, and no file is created: ${words.join(" ")}`, async () => {
      await using folder = await makeDataFolder();
      const { code, stdout, stderr } = await run(words, folder.env);
      assert.deepEqual([code, stdout], [4, ""]);
      assert.match(stderr, /No filehost database was found at .*filehost\.db\. Set --data or FILEHOST_DATA/);
      assert.deepEqual(await readdir(folder.path), []);
    });
  }
});

describe("the program", () => {
  it("prints results only on stdout, and exits with the exit code", async () => {
    await using folder = await makeDataFolder();
    const options = { cwd: folder.path, env: { FILEHOST_SCANNER: "off" } };
    const version = await execute(["version", "--json"], options);
    assert.deepEqual([version.code, version.stderr], [0, ""]);
    assert.match((JSON.parse(version.stdout) as { version: string }).version, /^\d+\.\d+\.\d+$/);
    assert.equal((await execute(["-v"], options)).stdout, (await execute(["version"], options)).stdout);
    const created = await execute(["users", "create", "--email", "a@example.org", "--name", "A"], options);
    assert.deepEqual([created.code, created.stderr], [0, "To let them sign in: filehost users reset-password a@example.org\n"]);
    assert.ok((await readdir(folder.path)).includes("data"));
    const again = await execute(["users", "create", "--email", "a@example.org", "--name", "A", "--json"], options);
    assert.deepEqual([again.code, again.stdout], [6, ""]);
    assert.equal((JSON.parse(again.stderr) as { errorCode: string }).errorCode, "CONFLICT");
  });

  it("names the folder that it cannot use, without a stack trace", async () => {
    await using folder = await makeDataFolder();
    await writeFile(join(folder.path, "data"), "in the way");
    const { code, stderr } = await execute(["users", "create", "--email", "a@example.org", "--name", "A"], { cwd: folder.path });
    assert.equal(code, 1);
    assert.match(stderr, /The data folder .*data cannot be used: a file has that name/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });
});
