import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../src/errors.ts";
import { parseNetwork } from "../../src/net/networks.ts";
import type { Resolve } from "../../src/net/resolve-host.ts";
import { createSafeFetch, type SafeFetch, type SafeFetchOptions, type SafeRequest } from "../../src/net/safe-fetch.ts";
import { reservePort } from "../support/free-ports.ts";
import { type Origin, redirectTo, startOrigin } from "../support/origin-server.ts";

const LOOPBACK = [parseNetwork("127.0.0.0/8") ?? assert.fail()];

async function withFetch(options: Partial<SafeFetchOptions>, work: (fetch: SafeFetch) => Promise<void>): Promise<void> {
  await using fetch = createSafeFetch({ allowedNetworks: [], ...options });
  await work(fetch);
}

async function read(fetch: SafeFetch, request: SafeRequest): Promise<{ status: number; text: string; url: string }> {
  const response = await fetch(request);
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, text: Buffer.concat(chunks).toString(), url: response.url.href };
}

const refusal = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

const hello = () =>
  startOrigin({
    "/hello": (request, response) => void response.end(`${request.method} ${request.headers["accept-encoding"]}`),
    "/echo": (request, response) => void request.pipe(response.writeHead(201)),
    "/there": redirectTo("/hello"),
    "/post": redirectTo("/hello", 307),
    "/loop": redirectTo("/loop"),
    "/nowhere": (_request, response) => void response.writeHead(302).end(),
    "/ftp": redirectTo("ftp://example.org/a"),
    "/secret": redirectTo("http://user:word@127.0.0.1/"),
    "/silent": () => {},
    "/stalled": (_request, response) => void response.writeHead(200).write("a"),
  });

const portOf = (origin: Origin): string => new URL(origin.url).port;

/** imports, "Which URLs" and "Refusals". */
test("a fetch refuses non-public hosts in any spelling before it connects", async () => {
  await using origin = await hello();
  const hosts = [
    ...["127.0.0.1", "127.1", "0x7f.0.0.1", "2130706433", "0177.0.0.1", "017700000001", "0", "127.0.0.1."],
    ...["localhost", "LOCALHOST.", "a.localhost", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]"],
    ...["10.0.0.1", "169.254.169.254", "[fd00:ec2::254]", "metadata.google.internal", "１２７.0.0.1"],
  ];
  await withFetch({ resolve: () => Promise.reject(new Error("no name is known here")) }, async (fetch) => {
    for (const host of hosts) {
      const url = `http://${host}:${portOf(origin)}/hello`;
      await assert.rejects(fetch({ url }), refusal("URL_NOT_ALLOWED"), host);
      await assert.rejects(fetch.check(url), refusal("URL_NOT_ALLOWED"), host);
    }
  });
  assert.equal(origin.requests.length, 0);
});

test("a fetch refuses a name that the system resolves to this machine", async () => {
  await using origin = await hello();
  await withFetch({}, async (fetch) => {
    await assert.rejects(fetch({ url: `http://localhost:${portOf(origin)}/hello` }), refusal("URL_NOT_ALLOWED"));
  });
  assert.equal(origin.requests.length, 0);
});

test("a fetch refuses a name that resolves to another address after the check (DNS rebinding)", async () => {
  await using origin = await hello();
  const resolutions = [["203.0.114.7"], ["127.0.0.1"]];
  const asked: string[] = [];
  const resolve: Resolve = async (name) => {
    asked.push(name);
    return resolutions.shift() ?? ["127.0.0.1"];
  };
  await withFetch({ resolve }, async (fetch) => {
    const url = `http://rebind.example:${portOf(origin)}/hello`;
    await fetch.check(url);
    await assert.rejects(fetch({ url }), refusal("URL_NOT_ALLOWED"));
  });
  assert.deepEqual(asked, ["rebind.example", "rebind.example"]);
  assert.equal(origin.requests.length, 0);
});

test("connects only to the allowed addresses of a name", async () => {
  await using origin = await hello();
  await withFetch({ allowedNetworks: LOOPBACK, resolve: async () => ["10.255.255.1", "::1", "127.0.0.1"] }, async (fetch) => {
    assert.equal((await read(fetch, { url: `http://some.example:${portOf(origin)}/hello` })).text, "GET identity");
  });
});

test("redirects are followed, each one checked", async () => {
  await using origin = await hello();
  await withFetch({ allowedNetworks: LOOPBACK }, async (fetch) => {
    const { text, url } = await read(fetch, { url: `${origin.url}/there` });
    assert.deepEqual([text, url], ["GET identity", `${origin.url}/hello`]);
    await assert.rejects(fetch({ url: `${origin.url}/loop` }), refusal("REMOTE_TOO_MANY_REDIRECTS"));
    await assert.rejects(fetch({ url: `${origin.url}/nowhere` }), refusal("REMOTE_REFUSED"));
    await assert.rejects(fetch({ url: `${origin.url}/ftp` }), refusal("URL_NOT_ALLOWED"));
    await assert.rejects(fetch({ url: `${origin.url}/secret` }), refusal("URL_NOT_ALLOWED"));
    assert.equal((await read(fetch, { url: `${origin.url}/there`, maxRedirects: 0 })).status, 302);
  });
  assert.equal(origin.requests.filter(({ path }) => path === "/loop").length, 11);
});

test("a fetch refuses a redirect from an allowed address to one that is not", async () => {
  await using inner = await hello();
  await using outer = await startOrigin({ "/": redirectTo(`http://127.0.0.2:${portOf(inner)}/hello`) });
  await withFetch({ allowedNetworks: [parseNetwork("127.0.0.1") ?? assert.fail()] }, async (fetch) => {
    await assert.rejects(fetch({ url: outer.url }), refusal("URL_NOT_ALLOWED"));
  });
  assert.equal(inner.requests.length, 0);
});

test("a POST sends its body and follows no redirect", async () => {
  await using origin = await hello();
  await withFetch({ allowedNetworks: LOOPBACK }, async (fetch) => {
    const sent = await read(fetch, {
      url: `${origin.url}/echo`,
      method: "POST",
      body: "some bytes",
      headers: { "content-type": "text/plain" },
    });
    assert.deepEqual([sent.status, sent.text], [201, "some bytes"]);
    assert.equal((await read(fetch, { url: `${origin.url}/post`, method: "POST", body: "x" })).status, 307);
  });
});

test("times out on a server that sends nothing or stops in the middle", async () => {
  await using origin = await hello();
  await withFetch({ allowedNetworks: LOOPBACK, headersTimeoutMs: 200, idleTimeoutMs: 200 }, async (fetch) => {
    await assert.rejects(fetch({ url: `${origin.url}/silent` }), refusal("REMOTE_TIMEOUT"));
    await assert.rejects(read(fetch, { url: `${origin.url}/stalled` }), refusal("REMOTE_TIMEOUT"));
    const reason = new Error("enough");
    await assert.rejects(read(fetch, { url: `${origin.url}/stalled`, signal: AbortSignal.abort(reason) }), reason);
  });
});

test("a signal aborts reading a body with its reason", async () => {
  await using origin = await hello();
  await withFetch({ allowedNetworks: LOOPBACK }, async (fetch) => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const response = await fetch({ url: `${origin.url}/stalled`, signal: controller.signal });
    const reading = (async () => {
      for await (const _ of response.body) controller.abort(reason);
    })();
    await assert.rejects(reading, reason);
  });
});

test("an unreachable server is REMOTE_UNREACHABLE, not INTERNAL", async () => {
  const port = await reservePort();
  await withFetch({ allowedNetworks: LOOPBACK }, async (fetch) => {
    await assert.rejects(fetch({ url: `http://127.0.0.1:${port}/` }), refusal("REMOTE_UNREACHABLE"));
  });
  await withFetch(
    { resolve: async () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })) },
    async (fetch) => {
      await fetch.check("http://unknown.example/");
      await assert.rejects(fetch({ url: "http://unknown.example/" }), refusal("REMOTE_HOST_UNKNOWN"));
    },
  );
});

test("fetches only http and https URLs without credentials", async () => {
  await withFetch({}, async (fetch) => {
    for (const url of [
      "ftp://example.org/",
      "file:///etc/passwd",
      "data:,x",
      "http://u@example.org/",
      "http://u:p@example.org/",
      "nonsense",
    ])
      await assert.rejects(fetch({ url }), refusal("URL_NOT_ALLOWED"), url);
  });
});
