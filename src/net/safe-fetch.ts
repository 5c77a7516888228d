import type { Agent, Dispatcher } from "undici/index.js";
import { AppError } from "../errors.ts";
import { joinHeaders } from "../lib/http/join-headers.ts";
import type { AgentOptions } from "./checked-agent.ts";
import { checkHost } from "./resolve-host.ts";
import { checkSourceUrl, toImportSourceError } from "./source-url.ts";

export type SafeFetchOptions = Pick<AgentOptions, "allowedNetworks"> & Partial<AgentOptions>;

export interface SafeRequest {
  readonly url: string;
  /** The method; default: GET. */
  readonly method?: "GET" | "HEAD" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Maximum number of redirects that a GET or HEAD follows; default: 10. With 0, a redirect is returned. A POST never follows one. */
  readonly maxRedirects?: number;
  /** Aborts the request and the body with its reason. */
  readonly signal?: AbortSignal;
}

export interface SafeResponse {
  /** The URL after redirects. */
  readonly url: URL;
  readonly status: number;
  /** The headers, with names in lower case. Repeated headers are joined by commas, and each character is a byte. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes as sent, never decompressed. The caller reads it once, or calls `cancel`. Throws REMOTE_TIMEOUT, REMOTE_UNREACHABLE, or the signal's
   * reason.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Stops reading and releases the connection. May be called at any time. */
  cancel(): void;
}

/** Fetches callers' URLs, only from the public internet. */
export interface SafeFetch extends AsyncDisposable {
  /**
   * Resolves to the response with any status. Checks the URL and the connected address of every redirect. Throws URL_NOT_ALLOWED,
   * REMOTE_TOO_MANY_REDIRECTS, REMOTE_REFUSED (a redirect without a location), REMOTE_HOST_UNKNOWN, REMOTE_UNREACHABLE, REMOTE_TIMEOUT.
   */
  (request: SafeRequest): Promise<SafeResponse>;
  /** Throws URL_NOT_ALLOWED for a URL that may not be fetched. Ignores unknown hosts, which fetching reports. */
  check(url: string): Promise<void>;
}

const DEFAULTS = { connectTimeoutMs: 10_000, headersTimeoutMs: 30_000, idleTimeoutMs: 60_000 } as const;
const MAX_REDIRECTS = 10;
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** Creates a client with separate connections, because clients differ in the permitted networks (imports, "Which URLs"). */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const settings = { ...DEFAULTS, ...options };
  let agent: Promise<Agent> | undefined;
  // Loads undici on first use, because that takes longer than the rest of a start.
  const getAgent = (): Promise<Agent> => {
    agent ??= import("./checked-agent.ts").then(({ createCheckedAgent }) => createCheckedAgent(settings));
    return agent;
  };

  const fetchFollowing = async (request: SafeRequest): Promise<SafeResponse> => {
    const { method = "GET", maxRedirects = MAX_REDIRECTS } = request;
    const followed = method === "POST" ? 0 : maxRedirects;
    let url = checkSourceUrl(request.url);
    for (let hops = 0; ; hops++) {
      const response = await fetchOnce(await getAgent(), url, request);
      if (!REDIRECT_STATUSES.includes(response.status) || followed === 0) return response;
      response.cancel();
      if (hops === followed)
        throw new AppError("REMOTE_TOO_MANY_REDIRECTS", `The URL redirects more than ${followed} times. Send the final URL.`);
      url = nextUrl(response);
    }
  };
  const check = (url: string): Promise<void> => checkHost(checkSourceUrl(url).hostname, settings);
  return Object.assign(fetchFollowing, {
    check,
    async [Symbol.asyncDispose]() {
      await (await agent)?.destroy();
    },
  });
}

async function fetchOnce(agent: Agent, url: URL, { method = "GET", headers, body, signal }: SafeRequest): Promise<SafeResponse> {
  signal?.throwIfAborted();
  try {
    const received = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { "accept-encoding": "identity", "user-agent": "filehost", ...headers },
      body: body ?? null,
      signal: signal ?? null,
    });
    // For undici, destroying an unread body is an error; without a listener it would end the process.
    received.body.on("error", () => {});
    return {
      url,
      status: received.statusCode,
      headers: joinHeaders(received.headers),
      body: readBody(received.body, signal),
      cancel: () => void received.body.destroy(),
    };
  } catch (error) {
    signal?.throwIfAborted();
    throw toImportSourceError(error);
  }
}

async function* readBody(body: Dispatcher.ResponseData["body"], signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    signal?.throwIfAborted();
    throw toImportSourceError(error);
  } finally {
    body.destroy();
  }
}

function nextUrl({ url, status, headers }: SafeResponse): URL {
  const next = headers.location === undefined ? null : URL.parse(Buffer.from(headers.location, "latin1").toString("utf8"), url);
  if (next !== null) return checkSourceUrl(next.href);
  throw new AppError("REMOTE_REFUSED", `The remote server responded with ${status} without a location. Send the file's final URL.`, {
    fields: { remoteStatus: status },
  });
}
