import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type HranaSession, openSession, toWireError, type WireRequest } from "./hrana.ts";
import { createLockQueue } from "./lock-queue.ts";

/** The fault of a request: lost before it is executed, executed with its response lost, refused, or without a response. */
export type Fault = "lose-request" | "lose-response" | "refuse" | "hang";

export interface LibsqlServerOptions {
  /** The idle time after which a stream is rolled back and closed; 10 s on real servers. */
  readonly idleMs?: number;
  /** The idle time after which a stream with an open transaction, which has the write lock, is rolled back and closed; 5 s on real servers. */
  readonly transactionMs?: number;
  /** The time for which a statement waits for the write lock before it fails with SQLITE_BUSY. */
  readonly busyMs?: number;
  /** Chooses the fault of every pipeline by its requests. */
  readonly fault?: (requests: readonly WireRequest[]) => Fault | undefined;
  /** Chooses how long a pipeline waits before it is executed, in place of a long execution. */
  readonly executionMs?: (requests: readonly WireRequest[]) => number;
}

export interface LibsqlServer extends AsyncDisposable {
  readonly url: string;
  /** The required bearer token. */
  readonly token: string;
  readonly path: string;
  /** The requests of every pipeline so far. */
  readonly pipelines: readonly (readonly WireRequest[])[];
  /** The number of streams that are open between requests. */
  readonly openStreams: number;
  /** Rolls back and closes every stream that is open between requests, as after its idle time. */
  expireStreams(): void;
  /** Closes every connection and rolls back open transactions, like a restart. */
  restart(): void;
}

interface Stream {
  readonly session: HranaSession;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Starts a database server for one file that speaks the libSQL protocol (Hrana over HTTP in JSON, `/v2/pipeline` and `/v3/pipeline`).
 *
 * It is a substitute: neither npm nor Debian has the real server (`sqld`). It follows the protocol's specification and supports what
 * `@libsql/client` uses: execute, batch with conditions, sequence, stored SQL, streams with single-use batons, interactive transactions and
 * time-outs, but not describe, cursors or protobuf. To run the suites against a real server, set `FILEHOST_TEST_LIBSQL_URL` (and
 * `FILEHOST_TEST_LIBSQL_TOKEN`) to an empty database there.
 */
export async function startLibsqlServer(options: LibsqlServerOptions = {}): Promise<LibsqlServer> {
  const { idleMs = 10_000, transactionMs = Math.min(5_000, idleMs), busyMs = 5_000, fault, executionMs } = options;
  const folder = await mkdtemp(join(tmpdir(), "filehost-libsql-"));
  const path = join(folder, "server.db");
  const token = randomBytes(12).toString("hex");
  const streams = new Map<string, Stream>();
  const lock = createLockQueue();
  const idle: HranaSession[] = [];
  const pipelines: (readonly WireRequest[])[] = [];

  const openStream = (baton: string | null | undefined): HranaSession => {
    if (!baton) {
      const session = idle.pop() ?? openSession({ path, lock, busyMs });
      session.reset();
      return session;
    }
    const stream = streams.get(baton);
    if (!stream) throw Object.assign(new Error("The stream has expired due to inactivity"), { code: "STREAM_EXPIRED" });
    streams.delete(baton);
    clearTimeout(stream.timer);
    return stream.session;
  };

  const suspend = (session: HranaSession, requests: readonly WireRequest[]): string => {
    const baton = randomBytes(16).toString("base64url");
    const expire = () => {
      // What held the write lock, and so made all others wait, is the first question about a test that then fails.
      if (session.inTransaction) console.warn(`A transaction was idle for ${transactionMs} ms after ${JSON.stringify(requests)}`);
      streams.delete(baton);
      release(session);
    };
    streams.set(baton, { session, timer: setTimeout(expire, session.inTransaction ? transactionMs : idleMs) });
    return baton;
  };

  const release = (session: HranaSession): void => {
    session.reset();
    idle.push(session);
  };

  const respondAll = async (session: HranaSession, requests: readonly WireRequest[], signal: AbortSignal): Promise<object[]> => {
    const results: object[] = [];
    for (const request of requests) {
      try {
        results.push({ type: "ok", response: await session.respond(request, signal) });
      } catch (error) {
        results.push({ type: "error", error: toWireError(error) });
      }
    }
    return results;
  };

  const respondToPipeline = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { baton, requests } = JSON.parse(await readText(request)) as { baton?: string | null; requests: readonly WireRequest[] };
    pipelines.push(requests);
    const failure = fault?.(requests);
    if (failure === "lose-request") return void request.socket.destroy();
    if (failure === "refuse") return sendJson(response, 503, { message: "Too many concurrent requests" });
    if (failure === "hang") return;
    if (executionMs) await sleep(executionMs(requests));
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const session = openStream(baton);
    const results = await respondAll(session, requests, gone.signal);
    // Nobody would use the transaction that has begun meanwhile, and its lock would be held until the time-out.
    if (gone.signal.aborted) return release(session);
    const isClosed = requests.some(({ type }) => type === "close");
    if (isClosed) release(session);
    const next = isClosed ? null : suspend(session, requests);
    if (failure === "lose-response") request.socket.destroy();
    else sendJson(response, 200, { baton: next, base_url: null, results });
  };

  const server = createServer((request, response) => {
    const route = `${request.method} ${request.url}`;
    if (request.headers.authorization !== `Bearer ${token}`) return sendJson(response, 401, { message: "The token is not valid" });
    if (route === "GET /v2" || route === "GET /v3") return void response.writeHead(200).end();
    if (route !== "POST /v2/pipeline" && route !== "POST /v3/pipeline") return sendJson(response, 404, { message: "Not found" });
    respondToPipeline(request, response).catch((error: unknown) => sendJson(response, 400, toWireError(error)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");

  const expireStreams = (): void => {
    for (const { session, timer } of streams.values()) {
      clearTimeout(timer);
      release(session);
    }
    streams.clear();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    token,
    path,
    pipelines,
    get openStreams() {
      return streams.size;
    },
    expireStreams,
    restart() {
      server.closeAllConnections();
      expireStreams();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      expireStreams();
      for (const session of idle) session.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  if (!response.destroyed) response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
