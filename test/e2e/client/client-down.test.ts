import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { startTerminal } from "../../support/machine/terminal.ts";
import { startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { type TestServer, toCommand } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { findInfo, signedUrl, upload } from "../support/api/api.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";
import { putFile } from "../support/uploads/transfers.ts";

describe("filehost down", () => {
  let server: TestServer;
  let device: ClientDevice;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    await device?.[Symbol.asyncDispose]();
    device = await makeDevice({ FILEHOST_SERVER: server.url });
  });
  after(() => device?.[Symbol.asyncDispose]());

  const at = (path: string): string => join(device.path, path);

  async function down(args: readonly string[], expectedCode = 0): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const { code, stdout, stderr } = await device.run(["down", ...args]);
    assert.equal(code, expectedCode, stdout + stderr);
    return { stdout, stderr };
  }

  async function sendShipment(files: Readonly<Record<string, string>>): Promise<string> {
    let shortId: string | undefined;
    for (const [path, bytes] of Object.entries(files)) {
      const fields = { relativePath: path, ...(shortId === undefined ? { openShare: "true" } : { shareShortId: shortId }) };
      const sent = await upload(server, { name: path.split("/").at(-1) ?? "", bytes, fields }, { key: await keyOf() });
      shortId ??= sent.shortId;
    }
    return shortId ?? "";
  }

  let ownKey: string | undefined;
  async function keyOf(): Promise<string> {
    ownKey ??= (await addAccount(server)).key;
    return ownKey;
  }

  /** client down, "What can be downloaded". */
  test("saves a file by its link, short ID, file ID, private link and signed URL", async () => {
    const bytes = someBytes(3 * MB, 4);
    const sent = await putFile(server, "/report.pdf", bytes);
    const protectedFile = await upload(server, { name: "secret.txt", bytes: "secret", fields: { protect: "true" } });
    const links: Readonly<Record<string, string>> = {
      [`${server.url}/d/${sent.shortId}`]: "report.pdf",
      [sent.shortId]: "report.pdf",
      [sent.id]: "report.pdf",
      [(await signedUrl(server, sent.id)).replace("localhost", "127.0.0.1")]: "report.pdf",
      [`${protectedFile.handoffUrl}`.replace("localhost", "127.0.0.1")]: "secret.txt",
    };
    for (const [index, [link, name]] of Object.entries(links).entries()) {
      const { stdout } = await down([link, "-C", `folder ${index}`]);
      assert.equal(stdout, `${at(`folder ${index}/${name}`)}\n`);
      assert.deepEqual(await readdir(at(`folder ${index}`)), [name]);
      const saved = await readFile(at(`folder ${index}/${name}`));
      assert.equal(sha256(saved), name === "report.pdf" ? sha256(bytes) : sha256("secret"));
    }
  });

  /** client down, "What can be downloaded". */
  test("saves a shipment as a folder, and files of it by names and patterns", async () => {
    const shortId = await sendShipment({ "a.txt": "a", "docs/b.log": "b", "docs/deep/c.txt": "c", "docs/.hidden": "h" });
    await down([shortId, "-o", "all"]);
    assert.deepEqual((await readdir(at("all"), { recursive: true })).sort(), [
      "a.txt",
      "docs",
      "docs/.hidden",
      "docs/b.log",
      "docs/deep",
      "docs/deep/c.txt",
    ]);
    await down([shortId, "*.txt", "-o", "texts"]);
    assert.deepEqual((await readdir(at("texts"), { recursive: true })).filter((path) => path.endsWith(".txt")).length, 2);
    await down([shortId, "b.log"]);
    assert.equal(await readFile(at("b.log"), "utf8"), "b");
    const { stderr } = await down([shortId, "b.logs"], 4);
    assert.match(stderr, /no file "b\.logs"/);
    assert.match((await down([shortId, "-o", "-"], 2)).stderr, /standard output takes one/);
    assert.equal((await down([shortId, "docs/deep", "-o", "-"])).stdout, "c");
    await down([shortId, "--zip", "-o", "all.zip"]);
    assert.equal((await readFile(at("all.zip"))).readUInt32LE(0), 0x04034b50);
  });

  /** client down, "Where files are saved". */
  test("saves a folder under its own name, beside a folder of other files, and continues in it", async () => {
    const shortId = await sendShipment({ "Trip/a.txt": "a", "Trip/deep/b.txt": "b" });
    const files = async (folder: string) => (await readdir(at(folder), { recursive: true })).sort();
    assert.equal((await down([shortId])).stdout, `${at("Trip")}\n`);
    assert.deepEqual(await files("Trip"), ["a.txt", "deep", "deep/b.txt"]);
    await rm(at("Trip/a.txt"));
    await down([shortId]);
    assert.deepEqual(await files("Trip"), ["a.txt", "deep", "deep/b.txt"]);
    // What the user has in a folder of that name is not added to.
    await mkdir(at("mine/Trip"), { recursive: true });
    await writeFile(at("mine/Trip/own.txt"), "own");
    await symlink(at("Trip"), at("mine/Trip (2)"));
    for (let run = 0; run < 2; run += 1) assert.equal((await down([shortId, "-C", "mine"])).stdout, `${at("mine/Trip (3)")}\n`);
    assert.deepEqual(await files("mine/Trip"), ["own.txt"]);
    await down([shortId, "-o", "named"]);
    assert.deepEqual(await files("named"), ["Trip", "Trip/a.txt", "Trip/deep", "Trip/deep/b.txt"]);
    assert.equal((await down([shortId, "--zip"])).stdout, `${at("Trip.zip")}\n`);
    const hidden = await sendShipment({ ".ssh/authorized_keys": "key" });
    assert.equal((await down([hidden])).stdout, `${at("_ssh")}\n`);
  });

  /** client down, "Where files are saved". */
  test("keeps the names of a sent folder on the same system, and up tells which ones a share cannot have", async () => {
    const names = ["CON", "tail.", "a:b?.txt", "A.txt", "a.TXT", "back\\slash", "n\nl"];
    const folder = join(device.path, "odd");
    await mkdir(folder);
    for (const name of names) await writeFile(join(folder, name), name);
    const sent = await device.run(["up", "odd"]);
    assert.equal(sent.code, 0, sent.stderr);
    assert.match(sent.stderr, /2 names changed for the share: .*backslash, .*nl\./s);
    await rm(folder, { recursive: true });
    const saved = await device.run(["down", sent.stdout.trim()]);
    assert.equal(saved.code, 0, saved.stderr);
    assert.deepEqual((await readdir(folder)).sort(), [...names.slice(0, 5), "backslash", "nl"].sort());
    assert.doesNotMatch(saved.stderr, /changed for this system/);
  });

  test("saves and continues files with names of up to 255 bytes, in new folders", async () => {
    for (const name of [`${"n".repeat(251)}.bin`, `${"文".repeat(82)}.bin.gz`, `${"ä".repeat(106)}x`, "b".repeat(255)]) {
      const sent = await upload(server, { name, bytes: name, fields: { maxDownloads: "2" } }, { key: await keyOf() });
      await down([sent.shortId, "-C", "long"]);
      assert.equal(await readFile(at(join("long", name)), "utf8"), name);
      await down([sent.shortId, "-o", `new/deep/${name}`]);
      assert.equal(await readFile(at(join("new/deep", name)), "utf8"), name);
    }
    assert.deepEqual(
      (await readdir(at("long"))).filter((name) => name.includes(".part")),
      [],
    );
    const twice = await upload(server, { name: "b".repeat(255), bytes: "other" });
    await down([twice.id, "-C", "long"]);
    assert.equal(await readFile(at(join("long", `${"b".repeat(247)} (2)`)), "utf8"), "other");
  });

  /** client down, "Where files are saved". */
  test("keeps existing files, and replaces them with --force", async () => {
    const { shortId } = await upload(server, { name: "note.txt", bytes: "new" });
    await writeFile(at("note.txt"), "old");
    assert.match((await down([shortId], 6)).stderr, /note\.txt exists\. Replace it with --force/);
    assert.equal((await findInfo(server, shortId))?.download, "0");
    assert.equal(await readFile(at("note.txt"), "utf8"), "old");
    await down([shortId, "--force"]);
    assert.equal(await readFile(at("note.txt"), "utf8"), "new");
    assert.match((await down([shortId])).stderr, /complete already/);
    assert.equal((await findInfo(server, shortId))?.download, "1");
    await mkdir(at("folder/note.txt"), { recursive: true });
    assert.match((await down([shortId, "-C", "folder", "--force"], 6)).stderr, /is a folder/);
  });

  /** client down, "Where files are saved". */
  test("writes into pipes, sockets and devices that -o names, and never replaces them", async () => {
    const bytes = someBytes(3 * MB, 9);
    const sent = await putFile(server, "/piped.bin", bytes);
    for (const force of [[], ["--force"]]) {
      if (force.length === 0) assert.equal(spawnSync("mkfifo", [at("pipe")]).status, 0);
      const reader = spawn("cat", [at("pipe")]);
      const chunks: Buffer[] = [];
      reader.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
      const closed = once(reader, "close");
      await down([sent.shortId, "-o", "pipe", ...force]);
      await closed;
      assert.equal(sha256(Buffer.concat(chunks)), sha256(bytes));
      assert.ok((await lstat(at("pipe"))).isFIFO());
    }
    const received: Buffer[] = [];
    const listener = createServer((socket) => void socket.on("data", (chunk: Buffer) => received.push(chunk))).listen(at("socket"));
    await once(listener, "listening");
    const ended = once(listener, "connection").then(([socket]) => once(socket as Socket, "close"));
    await down([sent.shortId, "-o", "socket", "--force"]);
    await ended;
    assert.equal(sha256(Buffer.concat(received)), sha256(bytes));
    assert.ok((await lstat(at("socket"))).isSocket());
    listener.close();
    // A share cannot choose a device by its name.
    assert.equal(spawnSync("mkfifo", [at("piped.bin")]).status, 0);
    assert.match((await down([sent.shortId, "--force"], 6)).stderr, /is a device, pipe or socket/);
    assert.ok((await lstat(at("piped.bin"))).isFIFO());
    const shipment = await sendShipment({ "a.txt": "a", "b.txt": "b" });
    assert.match((await down([shipment, "-o", "pipe"], 2)).stderr, /takes one/);
    if (spawnSync("mknod", [at("null"), "c", "1", "3"]).status !== 0) return;
    await down([sent.shortId, "-o", "null"]);
    await down([sent.shortId, "-o", "null", "--force"]);
    assert.ok((await lstat(at("null"))).isCharacterDevice());
    spawnSync("mknod", [at("full"), "c", "1", "7"]);
    assert.match((await down([sent.shortId, "-o", "full"], 5)).stderr, /full could not be written: the disk is full/);
    assert.ok((await lstat(at("full"))).isCharacterDevice());
  });

  /** client down, "Where files are saved". */
  test("writes to standard output if -o names it by its path", async () => {
    const { shortId } = await upload(server, { name: "note.txt", bytes: "new" });
    for (const path of ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]) assert.equal((await down([shortId, "-o", path])).stdout, "new");
    const shell = spawnSync("sh", ["-c", `"$0" down ${shortId} -o /dev/stdout >out.txt`, toCommand("binary")[0] ?? ""], {
      cwd: device.path,
      env: { ...device.env },
    });
    assert.equal(shell.status, 0, String(shell.stderr));
    assert.equal(await readFile(at("out.txt"), "utf8"), "new");
    assert.ok((await lstat("/dev/stdout")).isSymbolicLink());
  });

  /** client down, "Where files are saved". */
  test("does not follow a symbolic link in the folder of a shipment", async () => {
    const shortId = await sendShipment({ "docs/a.txt": "a", "b.txt": "b" });
    await mkdir(at("elsewhere"));
    await mkdir(at("target"));
    await symlink(at("elsewhere"), at("target/docs"));
    assert.match((await down([shortId, "-o", "target"], 3)).stderr, /symbolic link/);
    assert.deepEqual(await readdir(at("elsewhere")), []);
  });

  /** client down, "Continuing". */
  test("continues after its process was killed, and counts a limited download once", async () => {
    await using proxy = await startFaultyProxy(server.url);
    // More than sockets hold is missing when the connection breaks; otherwise the server may have sent all of it.
    const bytes = someBytes(128 * MB, 9);
    const { shortId, id } = await putFile(server, "/large.bin?maxDownloads=1", bytes, await keyOf());
    const ranges: string[] = [];
    proxy.decide = ({ method, url, headers }) => {
      if (method !== "GET" || !url.startsWith("/dl/")) return undefined;
      ranges.push(`${headers.range ?? ""} ${headers["if-match"] ?? ""}`);
      return ranges.length === 1 ? { cutAfterBytes: 80 * MB } : ranges.length === 2 ? { neverResponds: true } : undefined;
    };
    const child = device.start(["down", shortId, "--url", proxy.url]);
    await until("the second request is sent", () => ranges.length === 2);
    child.kill("SIGKILL");
    await once(child, "close");
    const { size, mode } = await stat(at("large.bin.part"));
    assert.ok(size > MB && size < bytes.length, String(size));
    assert.equal(mode & 0o111, 0);
    assert.equal((await stat(at("large.bin.part.json"))).mode & 0o777, 0o600);
    await down([id, "-o", "large.bin", "--url", proxy.url]);
    assert.equal(ranges[2], `bytes=${size}- "${id}"`);
    assert.equal(sha256(await readFile(at("large.bin"))), sha256(bytes));
    assert.deepEqual(
      (await readdir(device.path)).filter((name) => name.startsWith("large")),
      ["large.bin"],
    );
  });

  /** client down, "Continuing". */
  test("receives many small files in archives, and after a break only the missing ones", async () => {
    await using proxy = await startFaultyProxy(server.url);
    const content = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`d${index % 3}/${index}.txt`, String(index).repeat(50_000)]),
    );
    const shortId = await sendShipment(content);
    let archives = 0;
    proxy.decide = ({ method, url }) => {
      if (method !== "GET" || !url.startsWith("/ar/")) return undefined;
      archives += 1;
      return archives === 1 ? { cutAfterBytes: MB } : undefined;
    };
    await down([shortId, "-o", "many", "--url", proxy.url]);
    assert.equal(archives, 2);
    for (const [path, text] of Object.entries(content)) assert.equal(await readFile(at(`many/${path}`), "utf8"), text);
    assert.deepEqual((await readdir(at("many"))).sort(), ["d0", "d1", "d2"]);
    const downloads = Number((await findInfo(server, shortId))?.download);
    assert.ok(downloads >= 30 && downloads < 60, String(downloads));
    await down([shortId, "-o", "many", "--url", proxy.url]);
    assert.equal(archives, 2);
  });

  /** client down, "Codes and checks". */
  test("asks for the code on a terminal, again after a wrong one, and refuses without a terminal", async () => {
    const { shortId, unlockCode } = await upload(server, { name: "secret.txt", bytes: "secret", fields: { protect: "true" } });
    assert.match((await down([shortId], 3)).stderr, /--code/);
    assert.equal((await down([shortId, "-o", "-", "--code", `${unlockCode}`])).stdout, "secret");
    await using terminal = startTerminal(["down", shortId], { cwd: device.path, env: device.env });
    await terminal.waitFor("Unlock code: ");
    terminal.type("AAAAAA\r");
    await terminal.waitFor("is wrong");
    await terminal.waitFor("Unlock code: ");
    terminal.type(`${unlockCode?.toLowerCase()}\r`);
    await terminal.waitFor("secret.txt");
    assert.equal(await terminal.ended(), 0, terminal.output());
    assert.equal(await readFile(at("secret.txt"), "utf8"), "secret");
  });

  /** client down, "Output of down". */
  test("prints lines of JSON for programs", async () => {
    const { shortId } = await upload(server, { name: "note.txt", bytes: "hello" });
    const { stdout } = await down([shortId, "--json"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const path = at("note.txt");
    assert.deepEqual(
      events.filter(({ type }) => type !== "progress"),
      [
        { type: "file", path, sizeBytes: 5, sha256: sha256("hello"), verified: true },
        { type: "done", path, fileCount: 1, sizeBytes: 5, refused: [] },
      ],
    );
  });
});
