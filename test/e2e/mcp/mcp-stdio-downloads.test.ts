import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeFolder } from "../../support/folder.ts";
import { mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import { type FaultyProxy, startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Handler, startOrigin } from "../../support/services/origin-server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { upload } from "../support/api/api.ts";
import { callTool, ERAS, type Era, type ToolAnswer } from "../support/api/mcp.ts";
import { connectStdio, recordProgress, type StdioClient } from "../support/api/mcp-stdio.ts";
import { type Hostility, startHostileServer } from "../support/servers/hostile-server.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";
import { putFile } from "../support/uploads/transfers.ts";

const noDisk = await whyNoDisk();

/** mcp, "Downloads to your machine". */
describe("files that filehost mcp saves", () => {
  let server: TestServer;
  let proxy: FaultyProxy;
  let key: string;
  before(async () => {
    server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
    proxy = await startFaultyProxy(server.url);
    key = (await addAccount(server)).key;
  });
  after(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const connect = async (dir: string, era: Era = "a session"): Promise<StdioClient> =>
    await connectStdio(proxy, { era, key, args: ["--allow", dir] });

  const download = async (agent: StdioClient, args: Record<string, unknown>): Promise<ToolAnswer> =>
    await callTool(agent, "get_download_url", args);

  for (const era of Object.keys(ERAS) as Era[])
    test(`saves to a folder and to a new file, verified, for a client with ${era}`, async () => {
      await using dir = await makeFolder();
      await using agent = await connect(dir.path, era);
      const { id, shareUrl } = await upload(server, { name: "report.txt", bytes: "the report" });
      const first = await download(agent, { link: shareUrl, path: dir.path });
      assert.equal(first.data.path, join(dir.path, "report.txt"), first.text);
      assert.deepEqual([first.data.size, first.data.sha256, first.data.verified], [10, sha256("the report"), true]);
      assert.equal(await readFile(join(dir.path, "report.txt"), "utf8"), "the report");
      const second = await download(agent, { fileId: id, path: `${dir.path}/` });
      assert.equal(second.data.path, join(dir.path, "report (2).txt"));
      const named = await download(agent, { fileId: id, path: join(dir.path, "named.md") });
      assert.equal(named.data.path, join(dir.path, "named.md"));
      const url = await download(agent, { fileId: id });
      assert.equal(url.data.path, undefined);
      assert.deepEqual((await readdir(dir.path)).sort(), ["named.md", "report (2).txt", "report.txt"]);
    });

  test("replaces a file only if requested, and before the download is counted", async () => {
    await using dir = await makeFolder();
    await using agent = await connect(dir.path);
    const path = join(dir.path, "kept.txt");
    await writeFile(path, "old");
    const { id } = await upload(server, { name: "new.txt", bytes: "new", fields: { once: "true" } });
    const refused = await download(agent, { fileId: id, path });
    assert.equal(refused.data.errorCode, "CONFLICT");
    assert.match(refused.text, /overwrite: true/);
    assert.equal(await readFile(path, "utf8"), "old");
    const replaced = await download(agent, { fileId: id, path, overwrite: true });
    assert.equal(replaced.isError, false, replaced.text);
    assert.equal(await readFile(path, "utf8"), "new");
    const { id: other } = await upload(server, { name: "kept.txt", bytes: "link" });
    const chosen = await download(agent, { fileId: other, path: dir.path, overwrite: true });
    assert.equal(chosen.data.errorCode, "VALIDATION_FAILED", chosen.text);
    assert.equal(await readFile(path, "utf8"), "new");
    await symlink("/tmp/nowhere", join(dir.path, "dangling"));
    assert.equal((await download(agent, { fileId: other, path: join(dir.path, "dangling") })).data.errorCode, "CONFLICT");
  });

  test("continues a download whose connection breaks", async () => {
    await using dir = await makeFolder();
    await using agent = await connect(dir.path);
    const bytes = someBytes(6 * MB, 9);
    const { id } = await putFile(server, "/long.bin", bytes, key);
    const ranges: string[] = [];
    proxy.decide = ({ method, url, headers }) => {
      if (method !== "GET" || !url.startsWith("/dl/")) return undefined;
      ranges.push(`${headers.range ?? ""} ${headers["if-match"] ?? ""}`);
      return ranges.length < 4 ? { cutAfterBytes: 1_000_000 } : undefined;
    };
    const progress = recordProgress(agent);
    const { data, text } = await callTool(agent, "get_download_url", { fileId: id, path: dir.path }, { onprogress: () => undefined });
    proxy.decide = () => undefined;
    assert.equal(data.sha256, sha256(bytes), text);
    assert.equal(ranges[0], " ");
    assert.ok(ranges.length >= 4);
    assert.match(ranges[1] ?? "", new RegExp(`^bytes=[1-9]\\d+- "${id}"$`));
    assert.equal(progress.at(-1)?.progress, bytes.length);
    assert.equal(
      createHash("sha256")
        .update(await readFile(String(data.path)))
        .digest("hex"),
      sha256(bytes),
    );
  });

  test("writes nothing outside the allowed folders", async () => {
    await using dir = await makeFolder();
    const [allowed, outside] = [join(dir.path, "allowed"), join(dir.path, "outside")];
    for (const folder of [allowed, outside, join(allowed, ".hidden")]) await mkdir(folder);
    await symlink(outside, join(allowed, "folder"));
    await writeFile(join(allowed, "file"), "");
    await using agent = await connect(allowed);
    const { id } = await upload(server, { bytes: "bytes" });
    const cases: readonly (readonly [string, string])[] = [
      [outside, "FORBIDDEN"],
      [join(outside, "new.txt"), "FORBIDDEN"],
      [`${allowed}/../outside/new.txt`, "FORBIDDEN"],
      [join(allowed, "folder"), "FORBIDDEN"],
      [join(allowed, "folder/new.txt"), "FORBIDDEN"],
      [join(allowed, ".bashrc"), "FORBIDDEN"],
      [join(allowed, ".hidden"), "FORBIDDEN"],
      [join(allowed, ".hidden/new.txt"), "FORBIDDEN"],
      [join(allowed, "missing/new.txt"), "NOT_FOUND"],
      [`${join(allowed, "missing")}/`, "NOT_FOUND"],
      [join(allowed, "folder/missing/new.txt"), "FORBIDDEN"],
      [join(allowed, ".missing/new.txt"), "FORBIDDEN"],
      [join(allowed, "file/new.txt"), "VALIDATION_FAILED"],
      ["new.txt", "VALIDATION_FAILED"],
    ];
    for (const [path, code] of cases) {
      const { isError, data, text } = await download(agent, { fileId: id, path, overwrite: true });
      assert.deepEqual([isError, data.errorCode], [true, code], `${path}: ${text}`);
    }
    assert.deepEqual(await readdir(outside), []);
    assert.deepEqual((await readdir(allowed)).sort(), [".hidden", "file", "folder"]);
  });

  test("leaves no file on a full disk", { skip: noDisk ?? false }, async () => {
    const disk = await mountDisk(6 * MB);
    try {
      await using agent = await connect(disk);
      const large = await putFile(server, "/large.bin", someBytes(8 * MB), key);
      const before = await download(agent, { fileId: large.id, path: disk });
      assert.equal(before.data.errorCode, "STORAGE_FULL", before.text);
      assert.deepEqual(await readdir(disk), []);
      const fitting = await putFile(server, "/fitting.bin", someBytes(4 * MB), key);
      const fill = async (): Promise<void> => await writeFile(join(disk, "filler"), someBytes(4 * MB));
      proxy.decide = ({ method, url }) =>
        method === "GET" && url.startsWith("/dl/") ? { responseHeaders: {}, onResponse: fill } : undefined;
      const meanwhile = await download(agent, { fileId: fitting.id, path: disk });
      assert.equal(meanwhile.data.errorCode, "STORAGE_FULL", meanwhile.text);
      assert.deepEqual(await readdir(disk), ["filler"]);
    } finally {
      proxy.decide = () => undefined;
      await unmountDisk(disk);
    }
  });

  test("keeps a share for one download when its file cannot be saved", async () => {
    await using dir = await makeFolder();
    await using agent = await connect(dir.path);
    const { id, shareUrl } = await upload(server, { name: "once.txt", bytes: "once", fields: { once: "true" } });
    await using elsewhere = await connect("/proc");
    const refused = await download(elsewhere, { fileId: id, path: "/proc/sys" });
    assert.equal(refused.isError, true, "nobody can write there");
    const long = await download(agent, { fileId: id, path: join(dir.path, "n".repeat(300)), overwrite: true });
    assert.equal(long.data.errorCode, "VALIDATION_FAILED", long.text);
    proxy.decide = ({ method, url }) => (method === "GET" && url.startsWith("/dl/") ? { status: 404 } : undefined);
    const counted = await download(agent, { link: shareUrl, path: dir.path });
    proxy.decide = () => undefined;
    const [, url = ""] = /counted already.*?(http\S+)/.exec(counted.text) ?? assert.fail(counted.text);
    assert.deepEqual(await readdir(dir.path), []);
    assert.equal(await (await fetch(url)).text(), "once");
  });

  test("checks the free space before the download is counted", { skip: noDisk ?? false }, async () => {
    const disk = await mountDisk(6 * MB);
    await using dir = await makeFolder();
    try {
      await using agent = await connect(dir.path);
      await using full = await connect(disk);
      const large = join(dir.path, "once.bin");
      await writeFile(large, someBytes(8 * MB));
      const { shareUrl } = (await callTool(agent, "upload", { path: large, once: true })).data;
      const refused = await download(full, { link: shareUrl, path: disk });
      assert.equal(refused.data.errorCode, "STORAGE_FULL", refused.text);
      assert.doesNotMatch(refused.text, /counted/);
      const saved = await download(agent, { link: shareUrl, path: dir.path });
      assert.equal(saved.data.size, 8 * MB, saved.text);
    } finally {
      await unmountDisk(disk);
    }
  });

  /** Downloads from a server that is not to be trusted. Resolves to the answer, and to what is in the folder. */
  async function fromHostile(hostility: Hostility): Promise<ToolAnswer & { readonly files: readonly string[] }> {
    await using dir = await makeFolder();
    await using hostile = await startHostileServer(hostility);
    await using agent = await connectStdio(hostile, { era: "a session", key: "bc_secret", args: ["--allow", dir.path] });
    const answer = await download(agent, { fileId: "file", path: dir.path });
    const keys = hostile.requests.filter(({ path, headers }) => !path.startsWith("/api/files/") && headers.authorization !== undefined);
    assert.deepEqual(keys, [], "only the API gets the key");
    return { ...answer, files: await readdir(dir.path, { recursive: true }) };
  }

  const send =
    (bytes: string, headers: Readonly<Record<string, string>> = {}): Handler =>
    ({ method }, response) =>
      response.writeHead(200, { "Content-Length": String(bytes.length), ...headers }).end(method === "HEAD" ? undefined : bytes);

  test("makes names of other servers safe", async () => {
    const names: readonly (readonly [string, string])[] = [
      [`attachment; filename="../../etc/passwd"`, "passwd"],
      [`attachment; filename*=UTF-8''..%2F..%2Fnew.txt`, "new.txt"],
      [`attachment; filename=".bashrc"`, "_bashrc"],
      [`attachment; filename="CON.txt"`, "CON.txt"],
      [`attachment; filename*=UTF-8''a%00b%0Ac%E2%80%AEtxt.exe`, "abctxt.exe"],
      [`attachment; filename="dots. ."`, "dots. ."],
      [`attachment; filename=".."`, "file"],
      [`attachment; filename*=UTF-8''${"n".repeat(400)}.txt`, `${"n".repeat(251)}.txt`],
    ];
    for (const [disposition, expected] of names) {
      const { files, text } = await fromHostile({ bytes: send("bytes", { "Content-Disposition": disposition }) });
      assert.deepEqual(files, [expected], `${disposition}: ${text}`);
    }
  });

  test("saves no bytes that differ from the server's announcement", async () => {
    const digest = createHash("sha256").update("other").digest("base64");
    const endless: Handler = ({ method }, response) => {
      response.writeHead(200, method === "HEAD" ? { "Content-Length": "1000" } : {});
      if (method === "HEAD") return void response.end();
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
      more();
    };
    const broken: Handler = ({ method, headers }, response) => {
      if (headers.range !== undefined) return void send("bytes")({ method } as never, response);
      response.writeHead(200, { "Content-Length": String(32 * MB), ETag: '"a"' });
      if (method === "HEAD") return void response.end();
      // More than sockets hold, so that some has arrived: what comes together with the end of a connection may be lost.
      response.write(Buffer.alloc(16 * MB), () => response.destroy());
    };
    const cases: readonly (readonly [Hostility, string, RegExp])[] = [
      [{ bytes: send("bytes", { "Repr-Digest": `sha-256=:${digest}:` }) }, "FILE_DIGEST_MISMATCH", /do not have the SHA-256/],
      [{ bytes: endless }, "CONFLICT", /more bytes than it has announced/],
      [{ bytes: broken }, "CONFLICT", /cannot continue the download/],
      [{ bytes: (_, response) => void response.end() }, "UNAVAILABLE", /how large the file is/],
      [{ bytes: send("", { "Content-Length": "999999999999999" }) }, "STORAGE_FULL", /disk of this machine is full/],
      [{ url: "file:///etc/passwd" }, "UNAVAILABLE", /sent a response that this version does not know/],
      [{ url: "data:text/plain,hello" }, "UNAVAILABLE", /sent a response that this version does not know/],
      [{ bytes: (_, response) => void response.writeHead(302, { Location: "/dl/file" }).end() }, "UNAVAILABLE", /not followed/],
      [{ bytes: (_, response) => void response.writeHead(302, { Location: "file:///etc/passwd" }).end() }, "UNAVAILABLE", /not followed/],
    ];
    for (const [hostility, code, expected] of cases) {
      const { data, text, files } = await fromHostile(hostility);
      assert.equal(data.errorCode, code, text);
      assert.match(text, expected);
      assert.deepEqual(files, []);
    }
  });

  test("shortens error texts of a server, and removes control characters", async () => {
    const error: Handler = (_, response) =>
      void response
        .writeHead(403, { "Content-Type": "application/json" })
        .end(
          JSON.stringify({ success: false, error: `\u001b[31mNO\n${"x".repeat(5000)}`, errorCode: "FORBIDDEN", more: "y".repeat(50_000) }),
        );
    await using hostile = await startHostileServer({ api: error });
    await using agent = await connectStdio(hostile, { era: "a session", key: "bc_secret" });
    const { data, text } = await callTool(agent, "list_files");
    assert.equal(data.errorCode, "FORBIDDEN");
    assert.ok(text.length < 4000, String(text.length));
    assert.ok(!text.includes("\u001b"));
    assert.equal(agent.stderr(), "");
  });

  test("ends a call whose response is endless", async () => {
    const endless: Handler = (_, response) => {
      response.writeHead(200, { "Content-Type": "application/json" }).write("[");
      const more = (): void => void (response.destroyed || response.write("0,".repeat(65_536), more));
      more();
    };
    await using hostile = await startHostileServer({ api: endless });
    await using agent = await connectStdio(hostile, { era: "a session", key: "bc_secret" });
    const { data, text } = await callTool(agent, "list_files");
    assert.equal(data.errorCode, "UNAVAILABLE", text);
    assert.equal((await callTool(agent, "search_tools")).isError, false, "the process goes on");
  });

  test("sends the key to no other server, neither after a redirect of the API, nor of a signed URL", async () => {
    await using other = await startOrigin({ "/bytes": send("from the store"), "/api/files/list": send("{}") });
    const moved =
      (location: string): Handler =>
      (_, response) =>
        void response.writeHead(307, { Location: location }).end();
    const saved = await fromHostile({ bytes: moved(`${other.url}/bytes`) });
    assert.equal(saved.isError, false, saved.text);
    await using hostile = await startHostileServer({ api: moved(`${other.url}/api/files/list`) });
    await using agent = await connectStdio(hostile, { era: "a session", key: "bc_secret" });
    const { data, text } = await callTool(agent, "list_files");
    assert.equal(data.errorCode, "UNAVAILABLE");
    assert.ok(text.includes(`redirects to ${other.url}`), text);
    assert.deepEqual(
      other.requests.map(({ path, headers }) => [path, headers.authorization]),
      [
        ["/bytes", undefined],
        ["/bytes", undefined],
      ],
    );
  });
});
