import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";
import { mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import { toCommand } from "../../support/server.ts";
import { type Handler, type Origin, redirectTo, startOrigin } from "../../support/services/origin-server.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { straceMissing } from "../support/servers/strace.ts";
import { MB, sha256 } from "../support/uploads/multipart.ts";

const noDisk = await whyNoDisk();

interface Claims {
  readonly name?: string;
  readonly files?: readonly { readonly name: string; readonly relativePath: string | null; readonly id?: string }[];
  readonly sizeBytes?: number;
  readonly sha256?: string;
  /** Responds for each signed URL. */
  readonly bytes?: Handler;
}

/** A server that says of its share what it likes. */
async function startLiar({ name = "a.txt", files, sizeBytes = 5, sha256: digest = sha256("hello"), bytes }: Claims): Promise<Origin> {
  const json =
    (body: () => object): Handler =>
    (_, response) =>
      void response.setHeader("Content-Type", "application/json").end(JSON.stringify(body()));
  const common = {
    scanStatus: "clean",
    failureReason: null,
    uploading: false,
    receivedBytes: null,
    content_type: "text/plain",
    encrypted: false,
    modifiedAt: null,
    executable: false,
  };
  const size = { size_bytes: sizeBytes, sha256: digest };
  const ids = (files ?? [{ name, relativePath: null }]).map((_, index) => `file${String(index).padStart(12, "0")}`);
  const share = {
    ...common,
    ...size,
    success: true,
    id: ids[0],
    short_id: "7kXq9Zab",
    kind: files === undefined ? "file" : "shipment",
    name,
    title: null,
    message: null,
    expires_at: null,
    scanned: true,
    scanCoverage: "whole",
    unlockRequired: false,
    unlockKind: null,
    downloadsLimited: true,
    directEffective: false,
    sponsoredDelivery: false,
    paymentRequired: false,
    priceCents: null,
    ...(files && { files: files.map((file, index) => ({ ...common, ...size, id: ids[index], ...file })) }),
  };
  const send: Handler = (request, response) => {
    response.setHeader("Content-Length", sizeBytes).setHeader("ETag", '"one"');
    if (request.method === "HEAD") response.end();
    else if (bytes) bytes(request, response);
    else response.end("hello");
  };
  const server: Origin = await startOrigin({
    "/api/agent/capabilities": json(() => ({ service: "filehost", siteUrl: server.url })),
    "/api/files/share/7kXq9Zab": json(() => ({ ...share, data: share })),
    ...Object.fromEntries(
      ids.flatMap((id) => [
        [`/api/files/download/${id}`, json(() => ({ success: true, url: `${server.url}/dl/${id}/x?p=d&e=1&g=1&s=1` }))],
        [`/dl/${id}/x`, send],
      ]),
    ),
  });
  return server;
}

/** client down, "What a server cannot do". */
describe("filehost down from a hostile server", () => {
  let device: ClientDevice;
  beforeEach(async () => {
    await device?.[Symbol.asyncDispose]();
    device = await makeDevice();
  });
  after(() => device?.[Symbol.asyncDispose]());

  const down = (server: Origin, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    device.run(["down", "7kXq9Zab", ...args], { env: { FILEHOST_SERVER: server.url, ...env } });
  const saved = async (): Promise<readonly string[]> =>
    (await readdir(device.path, { recursive: true })).filter((path) => !/^state(?:\/|$)/.test(path)).sort();

  for (const [name, safe] of [
    ["../../evil", "evil"],
    ["/etc/evil", "evil"],
    ["C:\\evil.txt", "evil.txt"],
    ["CON", process.platform === "win32" ? "_CON" : "CON"],
    [".bashrc", "_bashrc"],
    ["a\u001b[31mb\n.txt", "a[31mb.txt"],
    ["..", "file"],
  ] as const)
    test(`makes the name ${JSON.stringify(name)} safe`, async () => {
      await using server = await startLiar({ name });
      const { code, stdout, stderr } = await down(server);
      assert.equal(code, 0, stderr);
      assert.deepEqual(await saved(), [safe]);
      assert.equal((stdout + stderr).includes("\u001b"), false);
    });

  test("keeps the paths of a shipment within its folder", async () => {
    const paths = ["../../evil", "/etc/evil", "a/../../b", "..\\..\\c", ".filehost-parts/x", "a/b/CON", "A/B/con"];
    await using server = await startLiar({ files: paths.map((relativePath) => ({ name: "x", relativePath })) });
    const { code, stderr } = await down(server, ["-o", "in"]);
    assert.equal(code, 0, stderr);
    for (const path of await saved()) assert.match(path, /^in(?:\/(?!\.filehost-parts).*)?$/);
  });

  test("reports the names of a shipment that this system cannot have", async () => {
    const paths = ["good/CON", "a/../b", "a\u0001b"];
    await using server = await startLiar({ files: paths.map((relativePath) => ({ name: "x", relativePath })) });
    const { code, stderr } = await down(server, ["-o", "in"]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /2 names changed for this system: a\/\.\.\/b → a\/__\/b, /);
    assert.ok((await saved()).includes("in/good/CON"));
  });

  for (const id of ["../../outside", "/etc/outside", "..", "a%2fb", ""])
    test(`refuses the file ID ${JSON.stringify(id)}`, async () => {
      const named = { name: "a.txt", relativePath: null };
      await using server = await startLiar({ files: [{ ...named, id }, named] });
      const { code, stderr } = await down(server, ["-o", "in"]);
      assert.equal(code, 8, stderr);
      assert.deepEqual(await saved(), []);
    });

  test("does not follow a symbolic link in place of the folder of unfinished files", async () => {
    const paths = ["a.txt", "b.txt"];
    await mkdir(join(device.path, "in"));
    await mkdir(join(device.path, "elsewhere"));
    await symlink("../elsewhere", join(device.path, "in/.filehost-parts"));
    await using server = await startLiar({ files: paths.map((name) => ({ name, relativePath: null })) });
    const { code, stderr } = await down(server, ["-o", "in"]);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /is a symbolic link/);
    assert.deepEqual(await readdir(join(device.path, "elsewhere")), []);
  });

  const partState = JSON.stringify({ version: 1, source: "x", url: "http://127.0.0.1:9/dl/x" });
  for (const planted of [partState, JSON.stringify({ state: partState, signature: "0".repeat(64) })])
    test(`ignores a foreign state of a download: ${planted.slice(0, 12)}`, async () => {
      await writeFile(join(device.path, "a.txt.part"), "precious");
      await using server = await startLiar({});
      const state = planted.replace('"x"', JSON.stringify(`${server.url}/api#file000000000000`));
      await writeFile(join(device.path, "a.txt.part.json"), state, { mode: 0o600 });
      const { code, stderr } = await down(server);
      assert.equal(code, 6, stderr);
      assert.match(stderr, /is no unfinished download/);
      assert.equal(await readFile(join(device.path, "a.txt.part"), "utf8"), "precious");
      assert.deepEqual(await saved(), ["a.txt.part", "a.txt.part.json"]);
    });

  test("saves each of two files with one name correctly, or not at all", async () => {
    const { promise: isRequested, resolve } = Promise.withResolvers<void>();
    const { promise: isRefused, resolve: goOn } = Promise.withResolvers<void>();
    await using first = await startLiar({
      bytes(_, response) {
        response.write("he");
        resolve();
        void isRefused.then(() => response.end("llo"));
      },
    });
    await using second = await startLiar({ sha256: sha256("HELLO"), bytes: (_, response) => void response.end("HELLO") });
    const one = down(first);
    await isRequested;
    const other = await down(second);
    goOn();
    assert.equal(other.code, 6, other.stderr);
    assert.match(other.stderr, /Another filehost command saves here/);
    const { code, stderr } = await one;
    assert.equal(code, 0, stderr);
    assert.equal(await readFile(join(device.path, "a.txt"), "utf8"), "hello");
    assert.deepEqual(await saved(), ["a.txt"]);
  });

  test("writes bytes to the disk before they get their name", { skip: straceMissing }, async () => {
    await using server = await startLiar({});
    const [command = "", ...prefix] = toCommand("binary");
    const trace = join(device.path, "trace");
    const traced = spawn("strace", ["-f", "-y", "-o", trace, "-e", "trace=/^(fsync|rename)", command, ...prefix, "down", "7kXq9Zab"], {
      cwd: device.path,
      env: { ...device.env, FILEHOST_SERVER: server.url },
      stdio: "ignore",
    });
    assert.deepEqual(await once(traced, "close"), [0, null]);
    const calls = await readFile(trace, "utf8");
    assert.match(calls, /fsync\(\d+<[^>]*\/a\.txt\.part>[\s\S]*rename\w*\([^\n]*a\.txt\.part"[^\n]*a\.txt"/);
  });

  test("saves nothing with a wrong SHA-256", async () => {
    await using server = await startLiar({ sha256: sha256("other") });
    const { code, stderr } = await down(server);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /SHA-256/);
    assert.deepEqual(await saved(), []);
    const streamed = await down(server, ["-o", "-"]);
    assert.deepEqual([streamed.code, streamed.stdout], [2, "hello"]);
    assert.match(streamed.stderr, /Do not use them/);
  });

  test("receives no more bytes than were announced", async () => {
    const bytes: Handler = (_, response) => {
      response.removeHeader("Content-Length");
      response.write(Buffer.alloc(MB));
    };
    await using server = await startLiar({ bytes });
    const { code, stderr } = await down(server);
    assert.equal(code, 6, stderr);
    assert.match(stderr, /more bytes than it has announced/);
    assert.equal((await saved()).includes("a.txt"), false);
  });

  test("sends no key with signed URLs and their redirects", async () => {
    await using elsewhere = await startOrigin({ "/bytes": (_, response) => void response.setHeader("Content-Length", 5).end("hello") });
    await using server = await startLiar({ bytes: redirectTo(`${elsewhere.url}/bytes`) });
    const { code, stderr } = await down(server, [], { FILEHOST_KEY: "bc_secret" });
    assert.equal(code, 0, stderr);
    const signed = server.requests.filter(({ path }) => path.startsWith("/dl/"));
    assert.ok(signed.length > 0 && elsewhere.requests.length > 0);
    for (const { headers } of [...signed, ...elsewhere.requests]) assert.equal(headers.authorization, undefined);
    assert.ok(server.requests.some(({ headers }) => headers.authorization === "Bearer bc_secret"));
  });

  /** client down, "Continuing". */
  test("begins again when the file has changed", async () => {
    let isCut = false;
    const bytes: Handler = (request, response) => {
      if (!isCut) {
        isCut = true;
        response.write("hel", () => response.destroy());
      } else if (request.headers.range) response.writeHead(412).end();
      else response.end("hello");
    };
    await using server = await startLiar({ bytes });
    const { code, stderr } = await down(server);
    assert.equal(code, 0, stderr);
    assert.deepEqual(await saved(), ["a.txt"]);
  });

  test("names a full disk, leaves no complete name, and continues on another disk", { skip: noDisk }, async () => {
    const disk = await mountDisk(2 * MB);
    try {
      await using server = await startLiar({ sizeBytes: 4 * MB });
      const { code, stderr } = await down(server, ["-C", disk]);
      assert.equal(code, 5, stderr);
      assert.match(stderr, /disk of this machine is full/);
      assert.equal((await readdir(disk)).includes("a.txt"), false);
    } finally {
      await unmountDisk(disk);
    }
  });
});
