import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { Hono } from "hono";
import { runtime } from "#runtime";
import { answerError } from "../../src/http/answer-error.ts";
import { type BodyPace, createBodyWatch } from "../../src/http/body-watch.ts";
import { isClientGone } from "../../src/http/client-gone.ts";
import type { HttpEnv } from "../../src/http/env.ts";
import { receiveBody } from "../../src/http/receive-body.ts";
import { until } from "../support/until.ts";

const PACE: BodyPace = { stallMs: 60_000, windowMs: 60_000, windowBytes: () => 0 };
const TICK_MS = 10;

interface Exchange extends AsyncDisposable {
  write(text: string): void;
  end(): void;
  readonly answer: string;
}

/** A server that reads bodies at `pace`; `onChunk` holds the reader up. */
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
    return answerError(c, error);
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
  let answer = "";
  socket.on("data", (data) => {
    answer += data.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.write(text);
  return {
    write: (text) => void socket.write(text),
    end: () => void socket.destroy(),
    get answer() {
      return answer;
    },
    [Symbol.asyncDispose]: async () => void socket.destroy(),
  };
}

const HEAD = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n";

function assertTooSlow(answer: string, says: RegExp): void {
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.match(answer, /\r\nconnection: close\r\n/i);
  assert.match(answer, /"errorCode":"REQUEST_TIMEOUT"/);
  assert.match(answer, says);
}

/** decisions, "Errors" and "Uploads" */
describe("the body of a request", () => {
  test("that stops is answered 408, with a sentence", async () => {
    await using server = await serve({ stallMs: 200 });
    await using stalled = send(server.port, `${HEAD}abc`);
    await until("it is answered", () => stalled.answer.includes("\r\n\r\n"));
    assertTooSlow(stalled.answer, /No byte of this request has arrived for 0\.2 seconds/);
  });

  test("that comes, but far too slowly, is answered 408 too", async () => {
    await using server = await serve({ windowMs: 500, windowBytes: () => 10_000 });
    await using slow = send(server.port, HEAD);
    const drip = setInterval(() => slow.write("x"), 10);
    try {
      await until("it is answered", () => slow.answer.includes("\r\n\r\n"));
    } finally {
      clearInterval(drip);
    }
    assertTooSlow(slow.answer, /This request is too slow: \d+ bytes in 0\.5 seconds, and at least 9\.8 KB are required/);
  });

  test("is not slow while the server itself holds it up", async () => {
    const release = Promise.withResolvers<void>();
    await using server = await serve({ stallMs: 200 }, (text) => (text.startsWith("held") ? release.promise : undefined));
    await using held = send(server.port, `${HEAD}held`);
    await using stalled = send(server.port, `${HEAD}abc`);
    await until("one that stops is answered", () => stalled.answer.includes("408"));
    assert.equal(held.answer, "");
    held.write("x".repeat(996));
    release.resolve();
    await until("it is read", () => held.answer.endsWith("read 1000"));
  });

  test("that breaks off is the client's leaving, and no error of the server", async () => {
    const read = new Set<string>();
    await using server = await serve({}, (text) => void read.add(text));
    await using gone = send(server.port, `${HEAD}abc`);
    await using other = send(server.port, HEAD);
    await until("its first bytes are read", () => read.has("abc"));
    gone.end();
    await until("the reader hears of it", () => server.errors.length === 1);
    assert.ok(isClientGone(server.errors[0]));
    other.write("x".repeat(1000));
    await until("another one goes on", () => other.answer.endsWith("read 1000"));
  });

  // Deno answers pipelined requests one after the other.
  test("is not taken where the next request follows in the same packet", { skip: runtime.name === "deno" }, async () => {
    await using server = await serve({});
    for (const body of [
      "Content-Length: 3\r\n\r\nabc",
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "Content-Length: 0\r\n\r\n",
    ]) {
      const before = server.errors.length;
      await using pipelined = send(server.port, `PUT / HTTP/1.1\r\nHost: x\r\n${body}GET / HTTP/1.1\r\nHost: x\r\n\r\n`);
      await until("the reader hears of it", () => server.errors.length > before);
      assert.ok(isClientGone(server.errors.at(-1)), body);
      assert.equal(pipelined.answer, "");
    }
  });
});
