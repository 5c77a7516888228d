// By its file: under Bun the bare name is a stub that ignores connectors, and with them every rule here.
import { Agent, type Dispatcher } from "undici/index.js";
import { joinHeaders } from "../domain/join-headers.ts";
import { AppError } from "../errors.ts";
import { type ConnectorOptions, checkHost, createCheckedConnector } from "./checked-connector.ts";
import { toRemoteError } from "./remote-errors.ts";
import { checkRemoteUrl } from "./remote-url.ts";

export interface SafeFetchOptions extends Omit<ConnectorOptions, "connectTimeoutMs"> {
  /** For each address that is tried. */
  readonly connectTimeoutMs?: number;
  /** From the request to the end of the answer's head. */
  readonly headersTimeoutMs?: number;
  /** Without a byte of the body. */
  readonly idleTimeoutMs?: number;
}

export interface SafeRequest {
  readonly url: string;
  /** GET by default. */
  readonly method?: "GET" | "HEAD" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** How many redirects a GET or HEAD follows, 10 by default; with 0, a redirect is the answer. A POST never follows one. */
  readonly maxRedirects?: number;
  /** Ends the request, and the reading of the body, with its reason. */
  readonly signal?: AbortSignal;
}

export interface SafeResponse {
  /** After redirects. */
  readonly url: URL;
  readonly status: number;
  /** Names in lower case; several of a name are joined by commas; each character is a byte. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent, never decompressed; read it once, or `cancel`. Throws REMOTE_TIMEOUT, REMOTE_UNREACHABLE, or the signal's reason. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Reads no more and lets the connection go. Fine at any time. */
  cancel(): void;
}

/** Fetches what a user named, from the public internet alone. */
export interface SafeFetch extends AsyncDisposable {
  /**
   * One answer, whatever its status. Every hop is checked, by its URL and by the address that is connected to.
   * Throws URL_NOT_ALLOWED, REMOTE_TOO_MANY_REDIRECTS, REMOTE_REFUSED (a redirect to nowhere), REMOTE_HOST_UNKNOWN, REMOTE_UNREACHABLE, REMOTE_TIMEOUT.
   */
  (request: SafeRequest): Promise<SafeResponse>;
  /** Throws URL_NOT_ALLOWED for a URL that could not be fetched from here; one whose name is not known is found out by fetching. */
  check(url: string): Promise<void>;
}

const DEFAULTS = { connectTimeoutMs: 10_000, headersTimeoutMs: 30_000, idleTimeoutMs: 60_000 } as const;
const MAX_REDIRECTS = 10;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Makes a client of its own, with connections of its own: what one may reach, another may not (decisions, "Remote import"). */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const settings = { ...DEFAULTS, ...options };
  const agent = new Agent({
    connect: createCheckedConnector(settings),
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.idleTimeoutMs,
    keepAliveTimeout: 4_000,
    maxHeaderSize: 32 * 1024,
  });

  const follow = async (request: SafeRequest): Promise<SafeResponse> => {
    const { method = "GET", maxRedirects = MAX_REDIRECTS } = request;
    const followed = method === "POST" ? 0 : maxRedirects;
    let url = checkRemoteUrl(request.url);
    for (let hops = 0; ; hops++) {
      const response = await askOnce(agent, url, request);
      if (!REDIRECTS.includes(response.status) || followed === 0) return response;
      response.cancel();
      if (hops === followed)
        throw new AppError("REMOTE_TOO_MANY_REDIRECTS", `The URL redirects more than ${followed} times. Send the one it ends at.`);
      url = nextUrl(response);
    }
  };
  const check = (url: string): Promise<void> => checkHost(checkRemoteUrl(url).hostname, settings);
  return Object.assign(follow, { check, [Symbol.asyncDispose]: () => agent.destroy() });
}

async function askOnce(agent: Agent, url: URL, { method = "GET", headers, body, signal }: SafeRequest): Promise<SafeResponse> {
  signal?.throwIfAborted();
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { "accept-encoding": "identity", "user-agent": "filehost", ...headers },
      body: body ?? null,
      signal: signal ?? null,
    });
    // Destroying a body that is not read to its end is an error to undici; without a listener it would end the process.
    answer.body.on("error", () => {});
    return {
      url,
      status: answer.statusCode,
      headers: joinHeaders(answer.headers),
      body: readBody(answer.body, signal),
      cancel: () => void answer.body.destroy(),
    };
  } catch (error) {
    signal?.throwIfAborted();
    throw toRemoteError(error);
  }
}

async function* readBody(body: Dispatcher.ResponseData["body"], signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    signal?.throwIfAborted();
    throw toRemoteError(error);
  } finally {
    body.destroy();
  }
}

function nextUrl({ url, status, headers }: SafeResponse): URL {
  const next = headers.location === undefined ? null : URL.parse(Buffer.from(headers.location, "latin1").toString("utf8"), url);
  if (next !== null) return checkRemoteUrl(next.href);
  throw new AppError("REMOTE_REFUSED", `The remote server answered ${status} without saying where the file is.`, {
    fields: { remoteStatus: status },
  });
}
