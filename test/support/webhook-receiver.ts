import { execFileSync, spawnSync } from "node:child_process";
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** The reason why suites that need certificates are skipped; undefined if openssl is installed. */
export const opensslMissing: string | undefined =
  spawnSync("openssl", ["version"]).status === 0 ? undefined : "openssl is not installed (Debian: openssl)";

/** A certificate authority for tests, and a certificate that it issued for servers on loopback. */
export interface TestAuthority extends AsyncDisposable {
  /** The path of a PEM file for `NODE_EXTRA_CA_CERTS`. */
  readonly caFile: string;
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Creates the authority and the certificate in a temporary folder, which the disposal deletes. */
export async function makeAuthority(): Promise<TestAuthority> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-ca-"));
  const path = (name: string): string => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const ca = [
    "-subj",
    "/CN=Authority of the tests",
    "-addext",
    "basicConstraints=critical,CA:TRUE",
    "-addext",
    "keyUsage=critical,keyCertSign",
  ];
  openssl("req", "-x509", ...NEW_KEY, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", ...ca);
  openssl("req", ...NEW_KEY, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=Receiver");
  await writeFile(path("extensions"), "subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\n");
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "extensions", "-out", "cert.pem"];
  openssl("x509", "-req", "-in", "request.pem", ...signed);
  const read = (name: string): string => readFileSync(path(name), "utf8");
  return {
    caFile: path("ca.pem"),
    ca: read("ca.pem"),
    key: read("key.pem"),
    cert: read("cert.pem"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A received request. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawBody: string;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly createdAt: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
  readonly atMs: number;
}

/** The response of the receiver; default: 200 without a delay. */
export interface ReceiverResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly afterMs?: number;
  /** What the response waits for. */
  readonly after?: Promise<unknown>;
}

export interface WebhookReceiver extends AsyncDisposable {
  /** The URL without a trailing slash. */
  readonly url: string;
  /** Every request so far, in order, including those without a response yet. */
  readonly received: readonly Received[];
  /** The largest number of concurrent requests so far. */
  readonly mostAtOnce: number;
  /** Sets the response to all further requests. */
  respondWith(how: ReceiverResponse | ((received: Received) => ReceiverResponse)): void;
}

/** Starts an HTTPS server on loopback that records its requests. */
export async function startReceiver({ key, cert }: Pick<TestAuthority, "key" | "cert">): Promise<WebhookReceiver> {
  const received: Received[] = [];
  let respond = (_: Received): ReceiverResponse => ({});
  let open = 0;
  let maxConcurrent = 0;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    open += 1;
    maxConcurrent = Math.max(maxConcurrent, open);
    response.once("close", () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const rawBody = Buffer.concat(chunks).toString("utf8");
    const current: Received = {
      path: request.url ?? "",
      headers: request.headers,
      rawBody,
      event: JSON.parse(rawBody) as Received["event"],
      atMs: performance.now(),
    };
    received.push(current);
    const { status = 200, headers = {}, afterMs = 0, after } = respond(current);
    await after;
    if (afterMs > 0) await delay(afterMs, undefined, { ref: false });
    response.writeHead(status, headers).end("ok");
  };
  const server = createServer({ key, cert }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `https://127.0.0.1:${address.port}`,
    received,
    get mostAtOnce() {
      return maxConcurrent;
    },
    respondWith(how) {
      respond = typeof how === "function" ? how : () => how;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Whether a request is signed with `secret` and at most 300 seconds old, as a careful receiver checks. */
export function isSigned({ headers, rawBody }: Received, secret: string, nowMs = Date.now()): boolean {
  const id = String(headers["service-webhook-id"]);
  const timestamp = String(headers["service-webhook-timestamp"]);
  if (!/^\d{10}$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > 300) return false;
  const expected = Buffer.from(`v1,${createHmac("sha256", secret).update(`${id}.${timestamp}.${rawBody}`).digest("hex")}`);
  const sent = Buffer.from(String(headers["service-webhook-signature"]));
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
