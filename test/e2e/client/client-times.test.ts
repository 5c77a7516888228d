import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { unzipMissing } from "../../support/unzip.ts";
import { type Account, addAccount } from "../support/accounts.ts";
import { clientOf, getShare, listFiles } from "../support/api.ts";
import { type ClientDevice, makeDevice } from "../support/client-device.ts";
import { MB, someBytes } from "../support/multipart.ts";
import { startPlainServer } from "../support/plain-server.ts";
import { createFileRequest } from "../support/requests.ts";

const CHANGED_MS = Date.UTC(2024, 1, 29, 23, 59, 58, 123);

/** client up, "Times and permissions"; client down, "Where files are saved". */
describe("modification times and executable bits", () => {
  let server: TestServer;
  let owner: Account;
  let sender: ClientDevice;
  let recipient: ClientDevice;
  before(async () => {
    server = await startPlainServer();
    owner = await addAccount(server);
    sender = await makeDevice({ FILEHOST_SERVER: server.url });
    recipient = await makeDevice({ FILEHOST_SERVER: server.url });
    await makeFile("one.sh", "#!/bin/sh\n");
    await makeFile("Trip/run.sh", "#!/bin/sh\n");
    await makeFile("Trip/deep/large.sh", someBytes(5 * MB));
    await makeFile("Trip/other.sh", "echo");
  });
  after(async () => {
    await sender?.[Symbol.asyncDispose]();
    await recipient?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  async function makeFile(path: string, bytes: string | Uint8Array): Promise<void> {
    const file = await sender.makeFile(path, bytes);
    await chmod(file, 0o750);
    await utimes(file, new Date(), new Date(CHANGED_MS));
  }

  async function up(args: readonly string[], { key = "" } = {}): Promise<string> {
    const { code, stdout, stderr } = await sender.run(["up", ...args], { env: { FILEHOST_KEY: key } });
    assert.equal(code, 0, stderr);
    return stdout.trim();
  }
  const shortIdOf = (link: string): string => new URL(link).pathname.slice("/d/".length);

  let runs = 0;
  /** Downloads to a new folder; resolves to it. */
  async function down(link: string, args: readonly string[] = []): Promise<string> {
    const folder = `saved ${runs++}`;
    const { code, stderr } = await recipient.run(["down", link, "-C", folder, ...args]);
    assert.equal(code, 0, stderr);
    return join(recipient.path, folder);
  }

  async function assertKept(path: string, { keeps = true, roundedMs = 1 } = {}): Promise<void> {
    const { mtimeMs, mode } = await stat(path);
    assert.equal(
      Math.floor(mtimeMs / roundedMs) === Math.floor(CHANGED_MS / roundedMs),
      keeps,
      `${path}: ${new Date(mtimeMs).toISOString()}`,
    );
    assert.equal((mode & 0o100) !== 0, keeps, path);
  }

  const SENT = { modifiedAt: new Date(CHANGED_MS).toISOString(), executable: true };
  const UNSENT = { modifiedAt: null, executable: false };
  /** What everybody who has the link sees of each file. */
  async function toldOf(link: string): Promise<readonly object[]> {
    const { files, modifiedAt, executable } = await getShare(server, shortIdOf(link));
    return files ? files.map(({ modifiedAt, executable }) => ({ modifiedAt, executable })) : [{ modifiedAt, executable }];
  }

  test("are kept for the files of an account, in all sizes and ways of download", async () => {
    const { key } = owner;
    const [one, folder] = [await up(["one.sh"], { key }), await up(["Trip"], { key })];
    assert.deepEqual(await toldOf(one), [SENT]);
    assert.deepEqual(await toldOf(folder), [SENT, SENT, SENT]);
    await assertKept(join(await down(one), "one.sh"));
    await assertKept(join(await down(one, ["-o", "two.sh"]), "two.sh"));
    const saved = await down(folder);
    for (const name of ["run.sh", "other.sh", "deep/large.sh"]) await assertKept(join(saved, "Trip", name));
  });

  test("are neither sent nor set with --no-times", async () => {
    const { key } = owner;
    for (const source of ["one.sh", "Trip"])
      for (const told of await toldOf(await up([source, "--no-times", "--no-resume"], { key }))) assert.deepEqual(told, UNSENT);
    const [one, folder, hidden] = [
      await up(["one.sh", "--no-resume"], { key }),
      await up(["Trip", "--no-resume"], { key }),
      await up(["one.sh", "--encrypt-name"], { key }),
    ];
    await assertKept(join(await down(hidden), "one.sh"), { roundedMs: 1000 });
    for (const link of [one, hidden]) await assertKept(join(await down(link, ["--no-times"]), "one.sh"), { keeps: false });
    const saved = await down(folder, ["--no-times"]);
    for (const name of ["run.sh", "other.sh", "deep/large.sh"]) await assertKept(join(saved, "Trip", name), { keeps: false });
    assert.equal((await sender.run(["up", "one.sh", "--times", "--no-times"])).code, 2);
  });

  test("are kept in archives", { skip: unzipMissing }, async () => {
    const link = await up(["Trip"], { key: owner.key });
    const folder = await down(link, ["--zip"]);
    const { id } = (await getShare(server, shortIdOf(link))).files?.[0] ?? { id: "" };
    const { url } = await clientOf(server, owner).call("archiveFiles", { fileIds: [id] });
    await writeFile(join(folder, "own.zip"), new Uint8Array(await (await fetch(url)).arrayBuffer()));
    for (const zip of ["Trip.zip", "own.zip"]) {
      const into = join(folder, zip.replace(".", "-"));
      assert.equal(
        spawnSync("unzip", ["-qq", zip, "-d", into], { cwd: folder, env: { ...process.env, TZ: "America/New_York" } }).status,
        0,
      );
      const [name = ""] = spawnSync("find", [into, "-name", "*.sh"], { encoding: "utf8" }).stdout.split("\n");
      await assertKept(name, { roundedMs: 1000 });
    }
  });

  test("are not sent without an account, unless requested", async () => {
    for (const source of ["one.sh", "Trip"]) {
      const link = await up([source]);
      assert.ok((await toldOf(link)).every((told) => JSON.stringify(told) === JSON.stringify(UNSENT)));
      const asked = await up([source, "--times", "--no-resume"]);
      assert.ok((await toldOf(asked)).every((told) => JSON.stringify(told) === JSON.stringify(SENT)));
      const path = source === "Trip" ? "Trip/run.sh" : source;
      await assertKept(join(await down(link), path), { keeps: false });
      await assertKept(join(await down(asked), path));
    }
  });

  test("are sent with files for a request only if requested", async () => {
    const { requestUrl } = await createFileRequest(server, owner.key);
    await up(["one.sh", "--request", requestUrl], { key: owner.key });
    await up(["Trip/run.sh", "--request", requestUrl, "--times"]);
    const { files } = await listFiles(server, owner.key);
    const told = await Promise.all(
      files
        .filter(({ name }) => name === "one.sh" || name === "run.sh")
        .slice(0, 2)
        .map(async ({ name, id }) => [name, (await clientOf(server, owner).call("archiveFiles", { fileIds: [id] })).url] as const),
    );
    for (const [name, url] of told) {
      const zip = Buffer.from(await (await fetch(url)).arrayBuffer());
      const directory = zip.indexOf("PK\x01\x02", 0, "latin1");
      assert.equal((zip.readUInt16LE(directory + 40) & 0o100) !== 0, name === "run.sh", name);
    }
    assert.equal(told.length, 2);
  });

  test("are only inside the encryption of encrypted files, or missing", async () => {
    const { key } = owner;
    const [plain, hidden] = [await up(["one.sh", "--encrypt"], { key }), await up(["Trip", "--encrypt", "--encrypt-name"], { key })];
    assert.deepEqual(await toldOf(plain), [UNSENT]);
    assert.deepEqual(await toldOf(hidden), [UNSENT, UNSENT, UNSENT]);
    await assertKept(join(await down(plain), "one.sh"), { keeps: false });
    const found = spawnSync("find", [await down(hidden), "-name", "*.sh"], { encoding: "utf8" })
      .stdout.trim()
      .split("\n");
    assert.equal(found.length, 3);
    for (const path of found) await assertKept(path, { roundedMs: 1000 });
    const unasked = await up(["one.sh", "--encrypt", "--encrypt-name"]);
    await assertKept(join(await down(unasked), "one.sh"), { keeps: false });
    const asked = await up(["one.sh", "--encrypt", "--encrypt-name", "--times"]);
    await assertKept(join(await down(asked), "one.sh"), { roundedMs: 1000 });
    const refused = await sender.run(["up", "one.sh", "--encrypt", "--times"]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /Add --encrypt-name/);
  });
});
