import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { type LogLine, startServer, type TestServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts.ts";
import { call, signedUrl, upload } from "../support/api.ts";
import { delegationCalls } from "../support/delegations.ts";
import { init, MB, partUrl, sha256, someBytes } from "../support/multipart.ts";
import { startPlainServer } from "../support/plain-server.ts";
import { sendRaw } from "../support/raw-http.ts";
import { countStoredState } from "../support/state.ts";
import { atServer, putFile } from "../support/transfers.ts";

const FORM_HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';

const requestsIn = (lines: readonly LogLine[]): readonly LogLine[] => lines.filter(({ msg }) => msg === "request");

/** connections, "Clients that disconnect", "Pipelining", "The Host header" and "Routes in the log" */
describe("a server", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
  });
  after(() => server[Symbol.asyncDispose]());

  /** A request of each kind that has a body: the head without its length, and the first bytes of the body. */
  async function requestsWithBody(): Promise<Readonly<Record<string, { head: string; body: string }>>> {
    const session = await init(server, { fileSize: MB });
    const part = new URL(await partUrl(server, session, 1, someBytes(MB)));
    const delegation = new URL((await delegationCalls(() => server).delegate()).uploadUrl);
    const form = "Content-Type: multipart/form-data; boundary=b\r\n";
    return {
      "a PUT": { head: "PUT /secret-name.txt HTTP/1.1\r\nHost: x\r\n", body: "hello" },
      "a form": { head: `POST / HTTP/1.1\r\nHost: x\r\n${form}`, body: `${FORM_HEAD}hello` },
      "the form of the API": { head: `POST /api/files/upload HTTP/1.1\r\nHost: x\r\n${form}`, body: `${FORM_HEAD}hello` },
      "a part": { head: `PUT ${part.pathname}${part.search} HTTP/1.1\r\nHost: x\r\n`, body: "hello" },
      "a delegation": { head: `PUT ${delegation.pathname} HTTP/1.1\r\nHost: x\r\n`, body: "hello" },
      JSON: { head: "POST /api/files/multipart/complete HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n", body: '{"uploadId' },
    };
  }

  test("logs a client that disconnects during its body as 499, not as an error", async () => {
    for (const [name, { head, body }] of Object.entries(await requestsWithBody())) {
      const before = await countStoredState(server);
      const from = server.logs().length;
      await sendRaw(server, [`${head}Content-Length: ${MB}\r\n\r\n${body}`], {
        // The server reads the bytes above before it responds to this request.
        cutAfter: () => fetch(`${server.url}/health/live`),
      });
      const [line] = await until(`${name} is logged`, () => {
        const lines = requestsIn(server.logs().slice(from)).filter(({ method }) => method !== "GET");
        return lines.length > 0 && lines;
      });
      assert.deepEqual({ level: line?.level, status: line?.status }, { level: "info", status: 499 }, name);
      assert.deepEqual(
        server
          .logs()
          .slice(from)
          .filter(({ level }) => level !== "info"),
        [],
        name,
      );
      await until(`nothing is left of ${name}`, async () => {
        assert.deepEqual(await countStoredState(server), before);
        return true;
      });
    }
  });

  test("stores a body that shares its packet with the next request, or leaves nothing of it", async () => {
    const next = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";
    const json = JSON.stringify({ fileName: "a.bin", fileSize: 5 });
    const requests = {
      "a short body": "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
      "a body in chunks": "PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      "a long body": `PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${3 * MB}\r\n\r\n${"x".repeat(3 * MB)}`,
      "a form": `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${FORM_HEAD.length + 12}\r\n\r\n${FORM_HEAD}hello\r\n--b--`,
      JSON: `POST /api/files/multipart/init HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`,
    };
    for (const [name, request] of Object.entries(requests)) {
      const before = await countStoredState(server);
      const from = server.logs().length;
      const { status, text } = await sendRaw(server, [request + next]);
      if (status !== 0) {
        assert.equal(status, 200, text);
        continue;
      }
      await until(`${name} is logged`, () => requestsIn(server.logs().slice(from)).some(({ method }) => method !== "GET"));
      assert.deepEqual(await countStoredState(server), before, name);
    }
  });

  test("requires exactly one Host header", async () => {
    for (const hosts of ["Host: a\r\nHost: b\r\n", "Host: a\r\nHost: a\r\n", "Host: a, b\r\n", ""]) {
      const { status } = await sendRaw(server, [`GET /health/live HTTP/1.1\r\n${hosts}\r\n`]);
      assert.equal(status, 400, JSON.stringify(hosts));
    }
    const put = await sendRaw(server, ["PUT /a HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 1\r\n\r\nx"]);
    assert.match(put.text, /^HTTP\/1\.1 400 .*\r\nconnection: close\r\n.*"errorCode":"VALIDATION_FAILED"/is);
    for (const host of ["a", "a:8080", "[::1]:8080"])
      assert.equal((await sendRaw(server, [`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`])).status, 200, host);
  });

  test("logs the route of a request and no text from the client", async () => {
    const { id, shortId } = await upload(server, { bytes: "x" });
    const from = server.logs().length;
    const asked = [
      ["PUT", "/my-tax-return.pdf", "/:name"],
      ["GET", `/d/${shortId}`, "/d/:shortId"],
      ["HEAD", `/d/${shortId}`, "/d/:shortId"],
      ["GET", "/h/my-secret-token", "/h/:token"],
      ["GET", `/api/files/share/${shortId}`, "/api/files/share/:shortId"],
      ["GET", `/dl/${id}/my-tax-return.pdf?sig=x`, "/dl/:fileId/:name"],
      ["POST", "/api/files/upload/my-secret", "(none)"],
      ["GET", "/my-tax-return.pdf", "(none)"],
      ["PUT", "/my-folder/my-tax-return.pdf", "/*"],
      ["PUT", "/d/my/tax/return.pdf", "(none)"],
      ["DELETE", `/d/${shortId}`, "/d/:shortId"],
      ["GET", "/%zz%my", "(none)"],
    ] as const;
    for (const [method, path, route] of asked) {
      const before = requestsIn(server.logs()).length;
      await call(server, method, path, { ...(method === "PUT" && { body: "x" }) }).catch(() => undefined);
      const [line] = await until("it is logged", () => {
        const lines = requestsIn(server.logs()).slice(before);
        return lines.length > 0 && lines;
      });
      assert.deepEqual([line?.method, line?.route], [method, route], path);
    }
    assert.doesNotMatch(JSON.stringify(server.logs().slice(from)), /\bmy\b/);
  });
});

const LIMIT = 256;
const SIZE = 32 * MB;
const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;

/** connections, "Too many connections" */
describeUnless(hasPrlimit ? undefined : "prlimit is not installed (Debian: util-linux)", "a server with few file descriptors", () => {
  const start = (env: Readonly<Record<string, string>> = {}) =>
    startServer({ wrapper: ["prlimit", `--nofile=${LIMIT}:${LIMIT}`], env: { FILEHOST_SCANNER: "off", ...env } });

  /** Opens more idle connections than the server may have; each has sent one request. */
  async function occupy(url: string): Promise<readonly Socket[]> {
    const { hostname, port } = new URL(url);
    const sockets = Array.from({ length: 2 * LIMIT }, () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on("error", () => undefined);
      socket.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
      return socket.resume();
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return sockets;
  }

  test("closes idle connections, serves new ones and interrupts no transfer", async () => {
    await using server = await start();
    const bytes = someBytes(SIZE);
    const file = await putFile(server, "/large.bin", bytes);
    const url = await signedUrl(server, file.id);
    const download = await fetch(atServer(server, url));
    const slow = connect({ host: "127.0.0.1", port: Number(new URL(server.url).port) });
    slow.on("error", () => undefined);
    let response = "";
    slow.on("data", (text) => {
      response += text;
    });
    slow.write("PUT /slow.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello");
    const sockets = await occupy(server.url);
    await until("the closing is logged", () => server.logs().some(({ msg }) => msg === "too many connections; closing idle ones"));
    await until("the idle connections are closed", () => sockets.filter(({ closed }) => closed).length > LIMIT);
    const asked = await sendRaw(server, [`GET /api/files/download/${file.id} HTTP/1.1\r\nHost: x\r\n\r\n`]);
    assert.equal(asked.status, 200, asked.text);
    slow.write("world");
    await until("the slow upload succeeds", () => /^HTTP\/1\.1 200 /.test(response));
    assert.equal(sha256(new Uint8Array(await download.arrayBuffer())), sha256(bytes));
    for (const socket of [slow, ...sockets]) socket.destroy();
    assert.deepEqual(
      server.logs().filter(({ level }) => level === "error"),
      [],
    );
  });

  /**
   * Starts downloads without reading them, each of which occupies a connection and a file, until the server has `openFiles` files open or refuses
   * one.
   */
  async function holdDownloads(server: TestServer, openFiles: number) {
    const { id } = await putFile(server, "/large.bin", someBytes(SIZE));
    const url = await signedUrl(server, id);
    const { hostname, port, pathname, search } = new URL(atServer(server, url));
    const held: { readonly socket: Socket; received: number }[] = [];
    while ((await readdir(`/proc/${server.pid}/fd`)).length < openFiles) {
      const socket = connect({ host: hostname, port: Number(port) });
      const download = { socket, received: 0 };
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const [first] = (await once(socket, "data")) as [Uint8Array];
      const status = Buffer.from(first).toString("latin1", 9, 12);
      if (status === "503") {
        socket.destroy();
        break;
      }
      assert.equal(status, "200");
      download.received = first.length;
      socket.pause();
      socket.on("data", (bytes: Uint8Array) => {
        download.received += bytes.length;
      });
      held.push(download);
    }
    return {
      async finish(): Promise<void> {
        for (const { socket } of held) socket.resume();
        await until("every download is complete", () => held.every(({ received }) => received > SIZE));
        for (const { socket } of held) socket.destroy();
      },
    };
  }

  test("closes each connection after its response while above the threshold", async () => {
    await using server = await start({ FILEHOST_CONNECTIONS: "64" });
    const closes = async (): Promise<boolean> =>
      /\r\nconnection: close\r\n/i.test((await sendRaw(server, ["GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"])).text);
    assert.equal(await closes(), false);
    const held = await holdDownloads(server, 70);
    await until("responses close their connections", closes);
    await held.finish();
    await until("responses leave their connections open", async () => !(await closes()));
  });

  test("refuses new requests other than health checks before running ones lack descriptors", async () => {
    await using server = await start();
    const ask = (path: string) => sendRaw(server, [`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`]);
    const held = await holdDownloads(server, 236);
    /** Waits for a refusal, because the held downloads leave the server about as many open files as a request needs. */
    const refusal = (what: string, request: () => ReturnType<typeof ask>) =>
      until(`${what} is refused`, async () => {
        const { status, text } = await request();
        return status === 503 && text;
      });
    const refused = await refusal("a request", () => ask("/api/agent/capabilities"));
    assert.match(refused, /\r\nretry-after: 5\r\n/i);
    assert.match(refused, /"errorCode":"UNAVAILABLE"/);
    assert.equal((await ask("/health/live")).status, 200);
    await refusal("a query that names health", () => ask("/api/agent/capabilities?x=/health"));
    await refusal("a file named health", () => sendRaw(server, ["PUT /a/health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"]));
    await held.finish();
    await until("it serves again", async () => (await ask("/api/agent/capabilities")).status === 200);
  });
});
