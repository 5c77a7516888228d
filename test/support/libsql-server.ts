import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HranaSession, openSession, toWireError, type WireRequest } from "./hrana.ts";

/** What happens to a request instead of being answered: not read by the database, done but the answer lost, refused, never answered. */
export type Fault = "lose-request" | "lose-answer" | "refuse" | "hang";

export interface LibsqlServerOptions {
  /** How long a stream may be idle before it is undone and closed; real servers take 10 s. */
  readonly idleMs?: number;
  /** The same for one with a transaction open, which nobody may have the lock of meanwhile; real servers take 5 s. */
  readonly transactionMs?: number;
  /** How long a statement waits here for the write lock before it gets SQLITE_BUSY. */
  readonly busyMs?: number;
  /** Asked for every pipeline; its requests as they came. */
  readonly fault?: (requests: readonly WireRequest[]) => Fault | undefined;
}

export interface LibsqlServer extends AsyncDisposable {
  readonly url: string;
  /** The bearer token that it asks for. */
  readonly token: string;
  readonly path: string;
  /** Every pipeline so far. */
  readonly pipelines: readonly (readonly WireRequest[])[];
  /** Streams that are open between requests. */
  readonly openStreams: number;
  /** Cuts every connection and undoes what was open, as a server that is restarted does. */
  restart(): void;
}

interface Stream {
  readonly session: HranaSession;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * A database server that speaks the libSQL protocol (Hrana over HTTP in JSON, `/v2/pipeline` and `/v3/pipeline`) onto a file.
 *
 * It is a substitute: neither npm nor Debian has a real one (`sqld`), so the suites run against this by default. It is written after the
 * protocol's specification and what `@libsql/client` sends, and does what that client uses: execute, batch with conditions, sequence,
 * stored SQL, streams by batons that are good once, interactive transactions, time-outs. It has no describe, no cursors and no protobuf.
 * To run the suites against a real server, set `FILEHOST_TEST_LIBSQL_URL` (and `FILEHOST_TEST_LIBSQL_TOKEN`) to an empty database there.
 */
export async function startLibsqlServer(options: LibsqlServerOptions = {}): Promise<LibsqlServer> {
  const { idleMs = 10_000, transactionMs = Math.min(5_000, idleMs), busyMs = 5_000, fault } = options;
  const folder = await mkdtemp(join(tmpdir(), "filehost-libsql-"));
  const path = join(folder, "server.db");
  const token = randomBytes(12).toString("hex");
  const streams = new Map<string, Stream>();
  const idle: HranaSession[] = [];
  const pipelines: (readonly WireRequest[])[] = [];

  const take = (baton: string | null | undefined): HranaSession => {
    if (!baton) {
      const session = idle.pop() ?? openSession(path, busyMs);
      session.reset();
      return session;
    }
    const stream = streams.get(baton);
    if (!stream) throw Object.assign(new Error("The stream has expired due to inactivity"), { code: "STREAM_EXPIRED" });
    streams.delete(baton);
    clearTimeout(stream.timer);
    return stream.session;
  };

  const park = (session: HranaSession): string => {
    const baton = randomBytes(16).toString("base64url");
    const expire = () => {
      streams.delete(baton);
      giveBack(session);
    };
    streams.set(baton, { session, timer: setTimeout(expire, session.inTransaction ? transactionMs : idleMs) });
    return baton;
  };

  const giveBack = (session: HranaSession): void => {
    session.reset();
    idle.push(session);
  };

  const respondAll = async (session: HranaSession, requests: readonly WireRequest[]): Promise<object[]> => {
    const results: object[] = [];
    for (const request of requests) {
      try {
        results.push({ type: "ok", response: await session.respond(request) });
      } catch (error) {
        results.push({ type: "error", error: toWireError(error) });
      }
    }
    return results;
  };

  const answerPipeline = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { baton, requests } = JSON.parse(await readText(request)) as { baton?: string | null; requests: readonly WireRequest[] };
    pipelines.push(requests);
    const misfortune = fault?.(requests);
    if (misfortune === "lose-request") return void request.socket.destroy();
    if (misfortune === "refuse") return sendJson(response, 503, { message: "Too many requests are under way" });
    if (misfortune === "hang") return;
    const session = take(baton);
    const results = await respondAll(session, requests);
    const isClosed = requests.some(({ type }) => type === "close");
    if (isClosed) giveBack(session);
    const next = isClosed ? null : park(session);
    if (misfortune === "lose-answer") request.socket.destroy();
    else sendJson(response, 200, { baton: next, base_url: null, results });
  };

  const server = createServer((request, response) => {
    const route = `${request.method} ${request.url}`;
    if (request.headers.authorization !== `Bearer ${token}`) return sendJson(response, 401, { message: "The token is not valid" });
    if (route === "GET /v2" || route === "GET /v3") return void response.writeHead(200).end();
    if (route !== "POST /v2/pipeline" && route !== "POST /v3/pipeline") return sendJson(response, 404, { message: "Nothing is here" });
    answerPipeline(request, response).catch((error: unknown) => sendJson(response, 400, toWireError(error)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");

  const endStreams = (): void => {
    for (const { session, timer } of streams.values()) {
      clearTimeout(timer);
      giveBack(session);
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
    restart() {
      server.closeAllConnections();
      endStreams();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      endStreams();
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
