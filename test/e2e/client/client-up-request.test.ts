import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { call } from "../support/api/api.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { createFileRequest, getRequest, patchRequest, type RequestView, tokenOf } from "../support/shares/requests.ts";
import { MB, someBytes } from "../support/uploads/multipart.ts";

/** client up, "Sending to a request"; requests, "With the client". */
describe("filehost up --request", () => {
  let server: ServerWith<"owner" | "other">;
  let device: ClientDevice;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" }, other: {} });
  });
  beforeEach(async () => {
    await device?.[Symbol.asyncDispose]();
    device = await makeDevice();
  });
  after(async () => {
    await device?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  async function makeFiles(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    for (const [path, bytes] of Object.entries(files)) {
      await mkdir(join(device.path, path, ".."), { recursive: true });
      await writeFile(join(device.path, path), bytes);
    }
  }

  async function up(args: readonly string[], options: Parameters<ClientDevice["run"]>[1] = {}) {
    const { code, stdout, stderr } = await device.run(["up", ...args], options);
    assert.equal(code, 0, stderr);
    return { receipt: stdout.trim(), stderr };
  }

  /** What a request received: by whom, with which note, and its files. */
  async function receivedOf({ id }: RequestView) {
    const { submissions } = await getRequest(server, server.owner.key, id);
    return submissions.map(({ senderName, senderNote, files }) => [senderName, senderNote, files.map(({ name }) => name).sort()]);
  }

  async function listSent(request: RequestView, receipt: string) {
    const [, shortId = "", deletionToken = ""] =
      new RegExp(`/r/${tokenOf(request)}/(\\w+)/([\\w-]+)$`).exec(receipt) ?? assert.fail(receipt);
    const path = `/api/requests/submissions/${shortId}?deletionToken=${deletionToken}`;
    const { body } = await call<{ data: { files: { relativePath: string; uploading: boolean }[] } }>(server, "GET", path);
    return body.data.files;
  }

  test("sends a file and a folder to the account of the request, with a name and a note, and prints the receipt", async () => {
    const request = await createFileRequest(server, server.owner.key);
    await makeFiles({ "note.txt": "hello", "photos/a.jpg": "a", "photos/rome/b.jpg": "b", "photos/large.bin": someBytes(9 * MB) });
    const { receipt, stderr } = await up(["note.txt", "--request", request.requestUrl, "--sender-name", "Ada", "--sender-note", "Both"]);
    assert.match(stderr, /Sent 1 file, 5 bytes\. The link is your receipt/);
    assert.deepEqual(await receivedOf(request), [["Ada", "Both", ["note.txt"]]]);
    assert.equal((await fetch(receipt)).status, 200);
    const folder = await up(["photos", "--request", request.requestUrl]);
    const sent = await listSent(request, folder.receipt);
    assert.deepEqual(sent.map(({ relativePath }) => relativePath).sort(), ["photos/a.jpg", "photos/large.bin", "photos/rome/b.jpg"]);
    assert.equal(sent.filter(({ uploading }) => uploading).length, 0);
    assert.deepEqual((await device.runJson<{ files: unknown[] }>(["ls", "--url", server.url])).files, []);
  });

  test("sends no key with the files", async () => {
    const request = await createFileRequest(server, server.owner.key);
    await using proxy = await startFaultyProxy(server.url);
    const keys: unknown[] = [];
    proxy.decide = ({ headers }) => void keys.push(headers.authorization);
    await makeFiles({ "note.txt": "hello" });
    const env = { FILEHOST_SERVER: proxy.url, FILEHOST_KEY: server.other.key };
    await up(["note.txt", "--request", `${proxy.url}/r/${tokenOf(request)}`], { env });
    assert.ok(keys.length > 0);
    assert.deepEqual(
      keys.filter((key) => key !== undefined),
      [],
    );
  });

  test("sends standard input", async () => {
    const request = await createFileRequest(server, server.owner.key);
    const { receipt } = await up(["-", "--name", "dump.txt", "--request", request.requestUrl], { input: "from a program" });
    assert.deepEqual(await receivedOf(request), [[null, null, ["dump.txt"]]]);
    assert.equal((await listSent(request, receipt)).length, 1);
  });

  test("requires the code of a protected request", async () => {
    const request = await createFileRequest(server, server.owner.key, { protect: true });
    await makeFiles({ "note.txt": "hello" });
    const args = ["note.txt", "--request", request.requestUrl];
    const refused = await device.run(["up", ...args]);
    assert.deepEqual([refused.code, refused.stdout], [3, ""], refused.stderr);
    assert.deepEqual(await receivedOf(request), []);
    await up([...args, "--code", "-"], { input: request.unlockCode ?? "" });
    assert.deepEqual(await receivedOf(request), [[null, null, ["note.txt"]]]);
  });

  test("continues after the process was killed, with the same receipt, and removes files that are no longer on this machine", async () => {
    const request = await createFileRequest(server, server.owner.key);
    await using proxy = await startFaultyProxy(server.url);
    await makeFiles({ "set/a.txt": "a", "set/b.txt": "b", "set/large.bin": someBytes(20 * MB) });
    let parts = 0;
    proxy.decide = ({ method, url }) => (method === "PUT" && url.includes("/up/") && ++parts > 2 ? { neverResponds: true } : undefined);
    const args = ["set", "--request", `${proxy.url}/r/${tokenOf(request)}`];
    const child = device.start(["up", ...args]);
    let printed = "";
    child.stdout?.on("data", (chunk) => {
      printed += chunk;
    });
    await until("parts are on their way, and the small files are stored", async () => {
      if (parts <= 2) return false;
      const [received] = await receivedOf(request);
      return received?.[2]?.includes("b.txt");
    });
    child.kill("SIGKILL");
    await once(child, "close");
    await rm(join(device.path, "set/b.txt"));
    proxy.decide = () => undefined;
    const { receipt, stderr } = await up(args);
    assert.equal(receipt, printed.trim());
    assert.match(stderr, /is no longer here, and was removed/);
    assert.deepEqual((await listSent(request, receipt)).map(({ relativePath }) => relativePath).sort(), ["set/a.txt", "set/large.bin"]);
  });

  test("names each problem: a closed request, a full one, and options that the request decides", async () => {
    const request = await createFileRequest(server, server.owner.key, { maxFiles: 1 });
    await makeFiles({ "a.txt": "a", "b.txt": "b" });
    const tooMany = await device.run(["up", "a.txt", "b.txt", "--request", request.requestUrl]);
    assert.equal(tooMany.code, 1);
    assert.match(tooMany.stderr, /b\.txt: .*accepts|a\.txt: .*accepts/);
    await patchRequest(server, server.owner.key, request.id, { closed: true });
    const closed = await device.run(["up", "b.txt", "--request", request.requestUrl]);
    assert.deepEqual([closed.code, closed.stdout], [6, ""], closed.stderr);
    for (const [args, problem] of [
      [["--request", "rq_token"], /takes the whole link/],
      [["--request", request.requestUrl, "--expires", "1d"], /decides the settings/],
      [["--request", request.requestUrl, "--into", "7kXq9Zab"], /Choose --into or --request/],
      [["--request", request.requestUrl, "--watch"], /--watch does not work with --request/],
      [["--request", request.requestUrl, "--encrypt"], /Nobody else would get the key/],
      [["--sender-name", "Ada"], /--sender-name is for --request/],
    ] as const) {
      const wrong = await device.run(["up", "a.txt", ...args]);
      assert.equal(wrong.code, 2, wrong.stderr);
      assert.match(wrong.stderr, problem);
    }
  });
});
