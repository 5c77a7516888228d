import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import type { FaultyProxy } from "../../support/network/faulty-proxy.ts";
import { until } from "../../support/until.ts";
import { findInfo, upload } from "../support/api/api.ts";
import {
  type ClientDevice,
  type Ended,
  makeDevice,
  type ServerBehindProxy,
  startServerBehindProxy,
} from "../support/client/client-device.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";
import { putFile } from "../support/uploads/transfers.ts";

const noDisk = await whyNoDisk();

/** client down, "Continuing". */
describe("filehost down of a share whose downloads are limited", () => {
  let server: ServerBehindProxy;
  let proxy: FaultyProxy;
  let device: ClientDevice;
  before(async () => {
    server = await startServerBehindProxy();
    ({ proxy } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await device?.[Symbol.asyncDispose]();
    device = await makeDevice({ FILEHOST_SERVER: proxy.url });
    proxy.decide = () => undefined;
  });
  after(() => device?.[Symbol.asyncDispose]());

  const at = (path: string): string => join(device.path, path);
  const isDownload = ({ method, url }: { readonly method: string; readonly url: string }): boolean =>
    method === "GET" && url.startsWith("/dl/");

  async function down(args: readonly string[], expectedCode = 0): Promise<Ended> {
    const ended = await device.run(["down", ...args]);
    assert.equal(ended.code, expectedCode, ended.stdout + ended.stderr);
    return ended;
  }

  /** The link that `up` prints. */
  async function up(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await device.run(["up", ...args]);
    assert.equal(code, 0, stderr);
    return stdout.trim().split("\n").at(-1) ?? "";
  }

  /** The files that a person sees. */
  async function listFiles(folder = "."): Promise<readonly string[]> {
    const entries = await readdir(at(folder), { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return paths.filter((path) => !path.startsWith(at("state"))).sort();
  }

  /** Downloads a share whose name another file gets as its bytes arrive. */
  async function downConflicting(shortId: string): Promise<void> {
    proxy.decide = (request) =>
      isDownload(request) ? { responseHeaders: {}, onResponse: () => writeFile(at("report.bin"), "mine") } : undefined;
    assert.match((await down([shortId], 6)).stderr, /All bytes are in .*report\.bin\.part: run the command again/);
    proxy.decide = (request) => (isDownload(request) ? { status: 500 } : undefined);
  }

  for (const maxDownloads of [1, 2])
    test(`saves complete bytes whose name was taken without another download: ${maxDownloads} allowed`, async () => {
      const bytes = someBytes(2 * MB, 31);
      const send = async (): Promise<string> => (await putFile(server, `/report.bin?maxDownloads=${maxDownloads}`, bytes)).shortId;
      for (const [args, path] of [
        [[], "report.bin"],
        [["--force"], "report.bin"],
        [["-o", "other.bin"], "other.bin"],
        [["-C", "elsewhere"], "elsewhere/report.bin"],
      ] as const) {
        const shortId = await send();
        await downConflicting(shortId);
        if (args.length === 0) await rm(at("report.bin"));
        const { stdout } = await down([shortId, ...args]);
        assert.equal(stdout, `${at(path)}\n`);
        assert.equal(sha256(await readFile(at(path))), sha256(bytes));
        assert.deepEqual(
          (await listFiles()).filter((name) => name.includes(".part")),
          [],
        );
        if (maxDownloads === 2) assert.equal((await findInfo(server, shortId))?.download, "1");
        await rm(at("report.bin"), { force: true });
      }
    });

  test("saves complete bytes that arrived by another address of the server", async () => {
    const bytes = someBytes(MB, 34);
    const { shortId, shareUrl } = await putFile(server, "/report.bin?maxDownloads=1", bytes);
    await downConflicting(shortId);
    await rm(at("report.bin"));
    const { code, stdout, stderr } = await device.run(["down", shareUrl], { env: { FILEHOST_SERVER: server.url } });
    assert.deepEqual([code, stdout], [0, `${at("report.bin")}\n`], stderr);
    assert.equal(sha256(await readFile(at("report.bin"))), sha256(bytes));
    assert.deepEqual(await listFiles(), [at("report.bin")]);
  });

  test("keeps complete bytes when another download gets the same name", async () => {
    const bytes = someBytes(MB, 35);
    const { shortId } = await putFile(server, "/report.bin?maxDownloads=1", bytes);
    await downConflicting(shortId);
    await rm(at("report.bin"));
    const other = await putFile(server, "/report.bin", someBytes(MB, 36));
    proxy.decide = () => undefined;
    assert.match((await down([other.shortId], 6)).stderr, /report\.bin\.part has all bytes of another download/);
    await down([other.shortId, "-o", "other.bin"]);
    await down([shortId]);
    assert.equal(sha256(await readFile(at("report.bin"))), sha256(bytes));
  });

  test("saves complete bytes on another disk", { skip: noDisk }, async () => {
    const disk = await mountDisk(4 * MB);
    try {
      const bytes = someBytes(MB, 32);
      const { shortId } = await putFile(server, "/report.bin?maxDownloads=1", bytes);
      await downConflicting(shortId);
      await down([shortId, "-C", disk]);
      assert.equal(sha256(await readFile(join(disk, "report.bin"))), sha256(bytes));
      assert.deepEqual(await readdir(disk), ["report.bin"]);
      assert.deepEqual(await listFiles(), [at("report.bin")]);
    } finally {
      await unmountDisk(disk);
    }
  });

  test("continues by its link after kill -9, although the server hides the share", async () => {
    const bytes = someBytes(64 * MB, 33);
    const sent = await putFile(server, "/report.bin?maxDownloads=1&protect=true", bytes);
    const link = `${sent.handoffUrl}`;
    let requests = 0;
    proxy.decide = (request) => {
      if (!isDownload(request)) return undefined;
      requests += 1;
      return requests === 1 ? { cutAfterBytes: 16 * MB } : { neverResponds: true };
    };
    const child = device.start(["down", link]);
    const closed = once(child, "close");
    await until("the second request is sent", () => requests === 2);
    child.kill("SIGKILL");
    await closed;
    proxy.decide = () => undefined;
    await down([link]);
    assert.equal(sha256(await readFile(at("report.bin"))), sha256(bytes));
    assert.deepEqual(await listFiles(), [at("report.bin")]);
    await down([link, "-o", "again.bin"], 3);
  });

  for (const option of ["--once", "--protect"])
    test(`keeps bytes that a key does not decrypt, and downloads them only once: ${option}`, async () => {
      const text = "the plan".repeat(30_000);
      await device.makeFile("sent/plan.txt", text);
      const wrong = new URL(await up(["sent/plan.txt", "--encrypt"])).hash;
      const { code, stdout, stderr } = await device.run(["up", "sent/plan.txt", "--encrypt", option]);
      assert.equal(code, 0, stderr);
      const link = new URL(stdout.trim());
      const args = option === "--protect" ? ["--code", /code: *(\w{6})/i.exec(stderr)?.[1] ?? assert.fail(stderr)] : [];
      const requests: string[] = [];
      proxy.decide = (request) => {
        if (isDownload(request)) requests.push(request.url);
        return undefined;
      };
      const refused = await down([`${link.origin}${link.pathname}${wrong}`, ...args], 2);
      assert.match(refused.stderr, /does not match this file.*All bytes are in .*run the command again/s);
      assert.deepEqual(await listFiles("sent"), [at("sent/plan.txt")]);
      await down([link.href, ...args]);
      assert.equal(await readFile(at("plan.txt"), "utf8"), text);
      assert.equal(requests.length, 1);
      assert.deepEqual((await listFiles()).length, 2);
    });

  /** Sends files and downloads them until the last one is requested; then the client is killed. Resolves to the command. */
  async function downUntilLast(options: readonly string[]): Promise<readonly string[]> {
    for (const name of ["a", "b", "c", "d"]) await device.makeFile(`files/${name}.txt`, name.repeat(200_000));
    const link = await up(["files", "--title", "Files", "--once", ...options]);
    const seen = new Set<string>();
    proxy.decide = (request) => {
      if (!isDownload(request)) return undefined;
      const { pathname } = new URL(request.url, proxy.url);
      seen.add(pathname);
      return pathname === [...seen][3] ? { neverResponds: true } : undefined;
    };
    const command = ["down", link, "-o", "got"];
    const child = device.start(command);
    const closed = once(child, "close");
    // Each unfinished file has files of its own, by its ID.
    const unfinished = async (): Promise<number> => {
      const names = await readdir(at("got/.filehost-parts")).catch(() => []);
      return new Set(names.map((name) => name.split(".")[0])).size;
    };
    await until("three files are saved, and the last one is requested", async () => seen.size === 4 && (await unfinished()) === 1);
    child.kill("SIGKILL");
    await closed;
    proxy.decide = () => undefined;
    return command;
  }

  for (const options of [[], ["--encrypt"], ["--encrypt-name"]])
    test(`continues a folder that the server hides completely: up --once ${options.join()}`, async () => {
      const command = await downUntilLast(options);
      const { code, stdout, stderr } = await device.run([...command, "--json"]);
      assert.equal(code, 0, stdout + stderr);
      const done = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
      assert.deepEqual([done.fileCount, done.sizeBytes >= 800_000, done.refused], [4, true, []]);
      for (const name of ["a", "b", "c", "d"]) assert.equal(await readFile(at(`got/files/${name}.txt`), "utf8"), name.repeat(200_000));
      assert.equal((await listFiles("got")).length, 4);
    });

  test("recognizes a decrypted file that got a number because its hidden name was taken", async () => {
    await device.makeFile("got/files/a.txt", "mine");
    const command = await downUntilLast(["--encrypt-name"]);
    const { code, stdout, stderr } = await device.run([...command, "--json"]);
    assert.equal(code, 0, stdout + stderr);
    assert.equal(await readFile(at("got/files/a.txt"), "utf8"), "mine");
    assert.equal(await readFile(at("got/files/a (2).txt"), "utf8"), "a".repeat(200_000));
    for (const name of ["b", "c", "d"]) assert.equal(await readFile(at(`got/files/${name}.txt`), "utf8"), name.repeat(200_000));
    assert.equal((await listFiles("got")).length, 5);
  });

  for (const options of [[], ["--encrypt"]])
    test(`does not report files that were changed or removed meanwhile as saved: up --once ${options.join()}`, async () => {
      const command = await downUntilLast(options);
      const saved = (await listFiles("got")).filter((path) => /txt$/.test(path));
      const [changed = "", removed = ""] = saved;
      const bytes = await readFile(changed);
      await writeFile(
        changed,
        bytes.map((byte, index) => (index === 100 ? byte ^ 1 : byte)),
      );
      assert.match((await device.run(command)).stderr, /exists\. Replace it with --force/);
      await writeFile(changed, bytes);
      await rm(removed);
      const { code, stdout, stderr } = await device.run([...command, "--json"]);
      assert.equal(code, 4, stderr);
      const done = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
      assert.deepEqual([done.fileCount, done.refused.length], [3, 1]);
      assert.equal((await stat(changed)).size, bytes.length);
    });

  test("is interrupted without advice to continue if nothing was begun", async () => {
    const { shortId } = await upload(server, { name: "waits.txt", bytes: "waits" });
    let isAsked = false;
    proxy.decide = ({ url }) => {
      if (!url.includes("/files/share/")) return undefined;
      isAsked = true;
      return { neverResponds: true };
    };
    const child = device.start(["down", shortId]);
    let stderr = "";
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    const closed = once(child, "close");
    await until("the share is asked for", () => isAsked);
    child.kill("SIGINT");
    assert.deepEqual(await closed, [130, null]);
    assert.match(stderr, /Interrupted\./);
    assert.doesNotMatch(stderr, /continue/);
  });
});
