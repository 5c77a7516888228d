import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { Hono } from "hono";
import { runtime } from "#runtime";
import { type BodyPace, createBodyWatch } from "../../../src/http/reading/body-watch.ts";
import { declaredBytes, isClientGone, receiveBody } from "../../../src/http/reading/receive-body.ts";
import { respondError } from "../../../src/http/responding/respond-error.ts";
import type { HttpEnv } from "../../../src/http/routing/env.ts";
import { until } from "../../support/until.ts";

const PACE: BodyPace = { stallMs: 60_000, windowMs: 60_000, windowBytes: () => 0 };
const TICK_MS = 10;

interface Exchange extends AsyncDisposable {
  write(text: string): void;
  end(): void;
  readonly response: string;
}

/** Starts a server that enforces `pace`; `onChunk` delays the reader. */
async function serve(pace: Partial<BodyPace>, onChunk: (text: string) => Promise<void> | void = () => undefined) {
  const errors: unknown[] = [];
  const app = new Hono<HttpEnv>();
  app.put("/", async (c) => {
    let text = "";
    for await (const chunk of receiveBody(c)) {
      text += new TextDecoder().decode(chunk);
      await onChunk(text);
    }
    return c.text(`read ${text.length}`);
  });
  app.onError((error, c) => {
    errors.push(error);
    return respondError(c, error);
  });
  const bodyWatch = createBodyWatch({ streamed: { ...PACE, ...pace }, tickMs: TICK_MS });
  const server = await runtime.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeoutSeconds: 60,
    fetch: (request, peer) => app.fetch(request, { peer, bodyWatch, requestId: "" } as unknown as HttpEnv["Bindings"]),
  });
  return { port: server.port, errors, [Symbol.asyncDispose]: () => server.stop(0) };
}

function send(port: number, text: string): Exchange {
  const socket = connect(port, "127.0.0.1");
  let response = "";
  socket.on("data", (data) => {
    response += data.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.write(text);
  return {
    write: (text) => void socket.write(text),
    end: () => void socket.destroy(),
    get response() {
      return response;
    },
    [Symbol.asyncDispose]: async () => void socket.destroy(),
  };
}

const HEAD = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n";

function assertTooSlow(response: string, message: RegExp): void {
  assert.match(response, /^HTTP\/1\.1 408 /);
  assert.match(response, /\r\nconnection: close\r\n/i);
  assert.match(response, /"errorCode":"REQUEST_TIMEOUT"/);
  assert.match(response, message);
}

/** connections, "Slow uploads", "Clients that disconnect" and "Pipelining" */
describe("a request body", () => {
  test("is refused with 408 and an explanation if it stalls", async () => {
    await using server = await serve({ stallMs: 200 });
    await using stalled = send(server.port, `${HEAD}abc`);
    await until("the response arrives", () => stalled.response.includes("\r\n\r\n"));
    assertTooSlow(stalled.response, /No byte of this request arrived for 0\.2 seconds/);
  });

  test("is refused with 408 if it arrives too slowly", async () => {
    await using server = await serve({ windowMs: 500, windowBytes: () => 10_000 });
    await using slow = send(server.port, HEAD);
    const drip = setInterval(() => slow.write("x"), 10);
    try {
      await until("the response arrives", () => slow.response.includes("\r\n\r\n"));
    } finally {
      clearInterval(drip);
    }
    assertTooSlow(slow.response, /This request is too slow: \d+ bytes in 0\.5 seconds, but at least 9\.8 KB are required/);
  });

  test("does not count as slow while the server delays it", async () => {
    const release = Promise.withResolvers<void>();
    await using server = await serve({ stallMs: 200 }, (text) => (text.startsWith("held") ? release.promise : undefined));
    await using held = send(server.port, `${HEAD}held`);
    await using stalled = send(server.port, `${HEAD}abc`);
    await until("the stalled request is refused", () => stalled.response.includes("408"));
    assert.equal(held.response, "");
    held.write("x".repeat(996));
    release.resolve();
    await until("the delayed body is read", () => held.response.endsWith("read 1000"));
  });

  test("throws ClientGone if it breaks off, and does not affect other requests", async () => {
    const read = new Set<string>();
    await using server = await serve({}, (text) => void read.add(text));
    await using gone = send(server.port, `${HEAD}abc`);
    await using other = send(server.port, HEAD);
    await until("its first bytes are read", () => read.has("abc"));
    gone.end();
    await until("the reader throws", () => server.errors.length === 1);
    assert.ok(isClientGone(server.errors[0]));
    other.write("x".repeat(1000));
    await until("the other body is read", () => other.response.endsWith("read 1000"));
  });

  // Deno handles pipelined requests one after the other.
  test("throws ClientGone if the next request follows in the same packet", { skip: runtime.name === "deno" }, async () => {
    await using server = await serve({});
    for (const body of [
      "Content-Length: 3\r\n\r\nabc",
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "Content-Length: 0\r\n\r\n",
    ]) {
      const before = server.errors.length;
      await using pipelined = send(server.port, `PUT / HTTP/1.1\r\nHost: x\r\n${body}GET / HTTP/1.1\r\nHost: x\r\n\r\n`);
      await until("the reader throws", () => server.errors.length > before);
      assert.ok(isClientGone(server.errors.at(-1)), body);
      assert.equal(pipelined.response, "");
    }
  });

  test("reads every length that a request declares, so that its limit applies before the body is read", () => {
    const declared = (length: string) => declaredBytes(new Request("http://localhost", { headers: { "Content-Length": length } }));
    assert.deepEqual(["0", "5", "999999999999999", "9007199254740990", "9".repeat(40), "-1", "1e3", "5, 5"].map(declared), [
      0,
      5,
      999_999_999_999_999,
      999_999_999_999_999,
      999_999_999_999_999,
      undefined,
      undefined,
      undefined,
    ]);
    assert.equal(declaredBytes(new Request("http://localhost")), undefined);
  });
});
