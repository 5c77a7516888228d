import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { makeFolder, type TestFolder } from "../../support/folder.ts";
import { reservePort } from "../../support/network/free-ports.ts";
import type { TestServer } from "../../support/server.ts";
import { nginxMissing, startNginx, type TestNginx } from "../../support/services/nginx.ts";
import { describeUnless } from "../../support/suite.ts";
import { getShare } from "../support/api/api.ts";
import { callTool } from "../support/api/mcp.ts";
import { connectStdio } from "../support/api/mcp-stdio.ts";
import { makeDevice } from "../support/client/client-device.ts";
import { getLink, whenSent } from "../support/pages/sending.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const MB = 1024 ** 2;

/** uploads, "Behind a proxy that limits requests". The proxy has nginx's default `client_max_body_size`, 1 MB. */
describeUnless(nginxMissing ?? browserMissing, "uploads behind a proxy that refuses large requests", () => {
  let browser: Browser;
  let nginx: TestNginx;
  let server: TestServer;
  let folder: TestFolder;
  before(async () => {
    const port = await reservePort();
    nginx = await startNginx(
      `server { listen 127.0.0.1:PORT; location / { proxy_pass http://127.0.0.1:${port}; proxy_set_header Host $http_host; } }`,
    );
    server = await startPlainServer({ FILEHOST_LISTEN: `127.0.0.1:${port}`, FILEHOST_URL: nginx.url });
    browser = await launchBrowser();
    folder = await makeFolder();
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    await nginx?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  test("standard input that is refused names the option with which it can be sent", async () => {
    await using device = await makeDevice({ FILEHOST_SERVER: nginx.url });
    const input = "x".repeat(3 * MB);
    const refused = await device.run(["up", "-", "--name", "piped.bin"], { input });
    assert.equal(refused.code, 5, refused.stderr);
    assert.match(refused.stderr, /status 413.*--spool/);
    assert.equal((await device.run(["up", "-", "--name", "piped.bin", "--spool"], { input })).code, 0);
  });

  test("an upload with a caller's key is sent in smaller parts, and a repeated call returns the same file", {
    timeout: 120_000,
  }, async () => {
    const path = await makeFile("keyed.bin", 70 * MB);
    await using device = await connectStdio(
      { url: nginx.url },
      { era: "a session", args: ["--allow", folder.path], env: { XDG_STATE_HOME: join(folder.path, "state") } },
    );
    const send = () => callTool(device, "upload", { path, idempotencyKey: "keyed-upload-1" });
    const first = await send();
    assert.equal(first.data.size, 70 * MB, first.text);
    assert.equal((await send()).data.id, first.data.id);
    const unfinished = await withDatabase(server, (db) =>
      db.selectFrom("upload_sessions").select("id").where("state", "=", "open").execute(),
    );
    assert.deepEqual(unfinished, []);
  });

  /** Resolves to the paths and sizes of the files of a share, in order. */
  async function filesOf(shortId: string): Promise<readonly (readonly [string, number])[]> {
    const { files } = await getShare(server, shortId);
    return (files ?? [])
      .map(({ name, relativePath, size_bytes }) => [relativePath ?? name, size_bytes] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
  }

  async function makeFile(name: string, sizeBytes: number): Promise<string> {
    const path = join(folder.path, name);
    await writeFile(path, Buffer.alloc(sizeBytes, name));
    return path;
  }

  async function makeSmallFiles(name: string, count: number, sizeBytes: number): Promise<string> {
    const path = join(folder.path, name);
    await mkdir(path);
    for (let index = 0; index < count; index += 1)
      await writeFile(join(path, `${String(index).padStart(3, "0")}.txt`), Buffer.alloc(sizeBytes, `${index} `));
    return path;
  }

  for (const [name, sizeBytes] of [
    ["three.bin", 3 * MB],
    ["thirty.bin", 30 * MB],
    ["hundred.bin", 100 * MB],
    ["nearly.bin", MB - 10],
  ] as const)
    test(`the page and the client send a file of ${sizeBytes} bytes`, async () => {
      const path = await makeFile(name, sizeBytes);
      await using opened = await openPage(browser);
      const { page } = opened;
      await page.goto(nginx.url);
      await page.setInputFiles("#file", path);
      await getLink(page);
      assert.deepEqual(await filesOf(await whenSent(page, 120_000)), [[name, sizeBytes]]);

      await using device = await makeDevice({ FILEHOST_SERVER: nginx.url });
      const sent = await device.run(["up", path]);
      assert.equal(sent.code, 0, sent.stderr);
      assert.match(sent.stdout, /^\S+\/d\/\w+\n$/, "one link");
      const { size_bytes: size } = await getShare(server, sent.stdout.trim().split("/").at(-1) ?? "");
      assert.equal(size, sizeBytes);
    });

  test("the page and the client send 300 small files", async () => {
    const path = await makeSmallFiles("many", 300, 60_000);
    const expected = Array.from({ length: 300 }, (_, index) => [`many/${String(index).padStart(3, "0")}.txt`, 60_000] as const);
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(nginx.url);
    await page.locator("input[webkitdirectory]").setInputFiles(path);
    await getLink(page);
    assert.deepEqual(await filesOf(await whenSent(page, 120_000)), expected);

    await using device = await makeDevice({ FILEHOST_SERVER: nginx.url });
    const sent = await device.run(["up", path]);
    assert.equal(sent.code, 0, sent.stderr);
    assert.deepEqual(await filesOf(sent.stdout.trim().split("/").at(-1) ?? ""), expected);
  });
});

/** uploads, "Behind a proxy that limits requests". */
test("a proxy that refuses everything is named with its status, and a refusal of the server is not reported as the proxy's", {
  skip: nginxMissing ?? browserMissing,
}, async () => {
  const port = await reservePort();
  await using nginx = await startNginx(
    `server { listen 127.0.0.1:PORT; client_max_body_size 10k; location / { proxy_pass http://127.0.0.1:${port}; proxy_set_header Host $http_host; } }`,
  );
  await using server = await startPlainServer({
    FILEHOST_LISTEN: `127.0.0.1:${port}`,
    FILEHOST_URL: nginx.url,
    FILEHOST_LIMITS: JSON.stringify({ tiers: { anonymous: { fileBytes: 2 * MB } } }),
  });
  await using folder = await makeFolder();
  const path = join(folder.path, "small.bin");
  await writeFile(path, Buffer.alloc(100_000, "x"));
  await using browser = { ...(await openedBrowser()) };
  await using opened = await openPage(browser.browser);
  const { page } = opened;
  await page.goto(nginx.url);
  await page.setInputFiles("#file", path);
  await getLink(page);
  await page
    .getByText(/A proxy in front of the server refused the upload \(status 413\)/)
    .first()
    .waitFor();

  await using device = await makeDevice({ FILEHOST_SERVER: nginx.url });
  const refused = await device.run(["up", path]);
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /A proxy in front of the server refused the request \(status 413\)/);

  const above = join(folder.path, "above.bin");
  await writeFile(above, Buffer.alloc(1.5 * MB, "x"));
  for (const [args, input] of [[["up", above]], [["up", "-", "--name", "piped.bin"], "x".repeat(1.5 * MB)]] as const) {
    const all = await device.run([...args], input === undefined ? {} : { input });
    assert.equal(all.code, 5, `${args.join(" ")}: ${all.stderr}`);
    assert.match(all.stderr, /A proxy in front of the server refused the request \(status 413\)/, args.join(" "));
  }

  // What cannot be sent leaves no unfinished upload, which would keep others from beginning.
  const many = join(folder.path, "many");
  await mkdir(many);
  for (let i = 0; i < 21; i += 1) await writeFile(join(many, `${i}.bin`), Buffer.alloc(20_000, "x"));
  const unfinished = () => withDatabase(server, async (db) => (await db.selectFrom("upload_sessions").select("id").execute()).length);
  const before = await unfinished();
  const several = await device.run(["up", many]);
  assert.equal(several.code, 1, several.stderr);
  assert.match(several.stderr, /status 413/);
  assert.equal(await unfinished(), before);

  const large = join(folder.path, "large.bin");
  await writeFile(large, Buffer.alloc(3 * MB, "x"));
  const own = await device.run(["up", large], { env: { FILEHOST_SERVER: server.url } });
  assert.equal(own.code, 5);
  assert.doesNotMatch(own.stderr, /proxy/);
});

async function openedBrowser(): Promise<{ readonly browser: Browser } & AsyncDisposable> {
  const browser = await launchBrowser();
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}

/** uploads, "Behind a proxy that limits requests". The proxy closes the connection in the middle of a body instead of responding. */
test("the client sends smaller requests if the connection breaks in each large one", async () => {
  const port = await reservePort();
  await using server = await startPlainServer({ FILEHOST_LISTEN: `127.0.0.1:${port}` });
  const proxy = createServer((request, response) => {
    let received = 0;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      chunks.push(chunk);
      if (received > 1.2 * MB) request.socket.destroy();
    });
    request.on("end", () => {
      const { host: _, connection: __, "transfer-encoding": ___, ...headers } = request.headers;
      const init = { method: request.method ?? "GET", headers: headers as Record<string, string>, redirect: "manual" as const };
      const hasBody = received > 0 && { body: new Uint8Array(Buffer.concat(chunks)) };
      void fetch(server.url + request.url, { ...init, ...hasBody }).then(async (answer) => {
        response.writeHead(
          answer.status,
          Object.fromEntries(
            ["content-type", "etag"].flatMap((name) => (answer.headers.has(name) ? [[name, answer.headers.get(name) ?? ""]] : [])),
          ),
        );
        response.end(Buffer.from(await answer.arrayBuffer()));
      });
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port: proxyPort } = proxy.address() as { port: number };
  await using folder = await makeFolder();
  const path = join(folder.path, "three.bin");
  await writeFile(path, Buffer.alloc(3 * MB, "three"));
  try {
    await using device = await makeDevice({ FILEHOST_SERVER: `http://127.0.0.1:${proxyPort}` });
    const sent = await device.run(["up", path]);
    assert.equal(sent.code, 0, sent.stderr);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});
