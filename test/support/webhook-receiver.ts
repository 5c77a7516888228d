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

/** Why suites that need certificates are skipped; undefined where they can be made. */
export const opensslMissing: string | undefined =
  spawnSync("openssl", ["version"]).status === 0 ? undefined : "openssl is not installed (Debian: openssl)";

/** A certificate authority of the tests' own, with the certificate that it gave a receiver at loopback. */
export interface TestAuthority extends AsyncDisposable {
  /** A PEM file for `NODE_EXTRA_CA_CERTS`. */
  readonly caFile: string;
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Makes both in a temporary folder, which goes with it. */
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

/** One event as it arrived. */
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

/** How the receiver answers: 200 at once unless told otherwise. */
export interface ReceiverAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly afterMs?: number;
}

export interface WebhookReceiver extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  /** Everything that arrived, in order, before it was answered. */
  readonly received: readonly Received[];
  /** The most requests that were open at once. */
  readonly mostAtOnce: number;
  /** Answers everything from now on so. */
  answer(how: ReceiverAnswer | ((received: Received) => ReceiverAnswer)): void;
}

/** A real HTTPS server on loopback that keeps what it is sent. */
export async function startReceiver({ key, cert }: Pick<TestAuthority, "key" | "cert">): Promise<WebhookReceiver> {
  const received: Received[] = [];
  let respond = (_: Received): ReceiverAnswer => ({});
  let open = 0;
  let mostAtOnce = 0;

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    open += 1;
    mostAtOnce = Math.max(mostAtOnce, open);
    response.once("close", () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const rawBody = Buffer.concat(chunks).toString("utf8");
    const arrived: Received = {
      path: request.url ?? "",
      headers: request.headers,
      rawBody,
      event: JSON.parse(rawBody) as Received["event"],
      atMs: performance.now(),
    };
    received.push(arrived);
    const { status = 200, headers = {}, afterMs = 0 } = respond(arrived);
    if (afterMs > 0) await delay(afterMs, undefined, { ref: false });
    response.writeHead(status, headers).end("taken");
  };
  const server = createServer({ key, cert }, (request, response) => {
    take(request, response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `https://127.0.0.1:${address.port}`,
    received,
    get mostAtOnce() {
      return mostAtOnce;
    },
    answer(how) {
      respond = typeof how === "function" ? how : () => how;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** What a careful receiver does: whether a message is signed with `secret` and not older than 300 seconds. */
export function isSigned({ headers, rawBody }: Received, secret: string, nowMs = Date.now()): boolean {
  const id = String(headers["service-webhook-id"]);
  const timestamp = String(headers["service-webhook-timestamp"]);
  if (!/^\d{10}$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > 300) return false;
  const expected = Buffer.from(`v1,${createHmac("sha256", secret).update(`${id}.${timestamp}.${rawBody}`).digest("hex")}`);
  const sent = Buffer.from(String(headers["service-webhook-signature"]));
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
