import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { fromAddress } from "../support/agents.ts";
import { call, postUpload } from "../support/api.ts";
import { MB, someBytes } from "../support/multipart.ts";
import { countStoredState } from "../support/state.ts";

const ENV = { FILEHOST_SCANNER: "off", FILEHOST_TRUSTED_PROXIES: "127.0.0.1" };

interface Connection {
  readonly socket: Socket;
  /** The part of the response received so far. */
  response(): string;
}

/** Connects, and collects what the server responds. */
function openConnection(server: TestServer): Connection {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
  });
  socket.on("error", () => undefined);
  return { socket, response: () => text };
}

/** Sends a JSON body of 4 MB except for its last bytes. */
function sendSlowly(server: TestServer, address: string): Connection {
  const connection = openConnection(server);
  const head = ["POST /api/files/multipart/complete HTTP/1.1", "Host: x", `X-Forwarded-For: ${address}`, "Content-Type: application/json"];
  connection.socket.write(`${head.join("\r\n")}\r\nContent-Length: ${4 * MB}\r\n\r\n{"uploadId":"`);
  connection.socket.write(Buffer.alloc(4 * MB - 100, "x"));
  return connection;
}

const memoryOf = ({ pid }: TestServer): number => {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes ?? assert.fail()) * 1024;
};

/** request limits, "Bodies in memory" and "Slow bodies". */
test("a hundred slow bodies from one address use bounded memory, time out and do not delay other addresses", {
  skip: longSkipped,
}, async () => {
  await using server = await startServer({ env: ENV });
  const attacker = "203.0.113.1";
  await postUpload(server, { bytes: someBytes(4 * MB) }, { headers: fromAddress("203.0.113.9") });
  const before = memoryOf(server);
  const slow = Array.from({ length: 100 }, () => sendSlowly(server, attacker));
  try {
    await until(
      "two bodies are sent except for their ends",
      () => slow.filter(({ socket }) => socket.bytesWritten > 4 * MB - 200).length >= 2,
    );
    const other = fromAddress("203.0.113.2");
    const uploads = await Promise.all(
      Array.from({ length: 6 }, () => postUpload(server, { bytes: someBytes(4 * MB) }, { headers: other })),
    );
    assert.deepEqual(
      uploads.map(({ status }) => status),
      Array(6).fill(200),
    );
    // Small bodies have a separate budget, also for the same address.
    const small = await call(server, "POST", "/api/downloads/unlock", {
      json: { shortId: "unknown1", unlockCode: "ABCDEF" },
      headers: fromAddress(attacker),
    });
    assert.equal(small.status, 404);
    const refused = await until("bodies beyond the limit are refused", () =>
      slow.find(({ response }) => response().includes("RATE_LIMITED")),
    );
    assert.match(refused.response(), /^HTTP\/1\.1 429 [\s\S]*\r\nRetry-After: \d/);
    const cut = await until("a slow body times out", () => slow.find(({ response }) => response().includes("REQUEST_TIMEOUT")));
    assert.match(cut.response(), /^HTTP\/1\.1 408 /);
    await until("its connection ends", () => cut.socket.closed);
    const grown = memoryOf(server) - before;
    assert.ok(grown < 150 * MB, `${Math.round(grown / MB)} MB`);
  } finally {
    for (const { socket } of slow) socket.destroy();
  }
});

/** request limits, "Bodies in memory". */
test("the fields of a streamed form count as bodies in memory while the form is received", async () => {
  await using server = await startServer({ env: ENV });
  const field = (n: number): string => `--b\r\nContent-Disposition: form-data; name="f${n}"\r\n\r\n${"x".repeat(60_000)}\r\n`;
  const fields = Array.from({ length: 45 }, (_, n) => field(n)).join("");
  const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nsome bytes';
  const open = (address: string): Connection => {
    const connection = openConnection(server);
    const head = ["POST / HTTP/1.1", "Host: x", "Accept: application/json", `X-Forwarded-For: ${address}`];
    connection.socket.write(
      `${head.join("\r\n")}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000000\r\n\r\n${fields}${file}`,
    );
    return connection;
  };
  const forms = Array.from({ length: 8 }, () => open("203.0.113.1"));
  try {
    await until("all but three are refused", () => forms.filter(({ response }) => response().startsWith("HTTP/1.1 503")).length === 5);
    const other = open("203.0.113.2");
    forms.push(other);
    await until("another address has a separate budget", async () => (await countStoredState(server)).sessions === 4);
    assert.equal(other.response(), "");
  } finally {
    for (const { socket } of forms) socket.destroy();
  }
  await until("the aborted uploads are undone", async () => (await countStoredState(server)).sessions === 0);
  let again = open("203.0.113.1");
  // The memory becomes free a moment after the uploads are undone: an earlier upload is refused.
  await until("the memory of the address is free again", async () => {
    if (again.response() !== "") again = open("203.0.113.1");
    return (await countStoredState(server)).sessions === 1;
  });
  again.socket.destroy();
});
