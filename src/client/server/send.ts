import { AppError } from "../../errors.ts";
import { ConnectionError } from "./connection-error.ts";
import { ENDLESS } from "./server-error.ts";

/** The largest response that is not a file; no response of a filehost exceeds it. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/**
 * Whether the runtime copies a chunk of a body before it requests the next one, as Bun does. The buffer of the chunk can then be used again, which
 * saves memory.
 */
export const COPIES_CHUNKS = process.versions.bun !== undefined;
/** Whether the runtime sends a slice of a file by sendfile, as Bun does on Linux. */
export const SENDS_FILES = process.versions.bun !== undefined && process.platform === "linux";

/**
 * Sends a request. It follows no redirect, so that a key never reaches another server. Throws UNAVAILABLE if there is no response, and for a
 * redirect, whose target it names; otherwise the signal's reason.
 */
export async function sendRequest(request: Request | URL, init: RequestInit = {}): Promise<Response> {
  const url = request instanceof URL ? request : new URL(request.url);
  const response = await requestOnce(request, init);
  if (!isRedirect(response)) return limitBody(response);
  await response.body?.cancel();
  const target = describeTarget(response.headers.get("location"), url);
  throw new AppError(
    "UNAVAILABLE",
    `The server at ${url.origin} redirects to ${target}. Check its address, and use that of the API or of the site.`,
  );
}

function describeTarget(location: string | null, url: URL): string {
  const target = location === null ? null : URL.parse(location, url);
  if (target === null || !/^https?:$/.test(target.protocol)) return "something that is no web address";
  if (target.href === url.href) return "itself";
  return target.origin === url.origin ? `${target.origin}${target.pathname}`.slice(0, MAX_TARGET_CHARACTERS) : target.origin;
}

const MAX_TARGET_CHARACTERS = 200;

/**
 * Sends a request and resolves to any response, also to a redirect, which it does not follow. Throws ConnectionError if there is no response, or the
 * signal's reason.
 */
export async function requestOnce(request: Request | URL, init: RequestInit = {}): Promise<Response> {
  const signal = request instanceof URL ? init.signal : request.signal;
  try {
    return await fetch(request, { ...init, redirect: "manual" });
  } catch (error) {
    signal?.throwIfAborted();
    throw new ConnectionError(request instanceof URL ? request : new URL(request.url), error);
  }
}

/** Limits the size of a response, so that it cannot fill the memory. Reading more fails. */
export function limitBody(response: Response): Response {
  const { body, status, statusText, headers } = response;
  let left = MAX_RESPONSE_BYTES;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left >= 0) controller.enqueue(chunk);
      else controller.error(new AppError("UNAVAILABLE", "The response of the server is too large. Check its address.", { cause: ENDLESS }));
    },
  });
  return body === null ? response : new Response(body.pipeThrough(limit), { status, statusText, headers });
}

export const isRedirect = ({ status }: Response): boolean => status >= 300 && status < 400 && status !== 304;
