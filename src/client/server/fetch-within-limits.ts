import { AppError } from "../../errors.ts";
import { sendRequest } from "./send.ts";
import { ENDLESS } from "./server-error.ts";

/** Time limits of a response that is not a file. */
export interface ResponseLimits {
  /** Time until the headers arrive, for requests without files. */
  readonly headersMs: number;
  /** Time between two pieces of the body. */
  readonly idleMs: number;
  /** Time for the whole body. */
  readonly bodyMs: number;
}

const ANSWER_LIMITS: ResponseLimits = { headersMs: 5 * 60_000, idleMs: 30_000, bodyMs: 2 * 60_000 };

/**
 * Sends a request like `sendRequest`, and reads the whole response. Throws UNAVAILABLE if the connection breaks, or a limit is exceeded. Sending the
 * files of a form has no limit.
 */
export async function fetchWithinLimits(
  request: Request | URL,
  init: RequestInit = {},
  limits: ResponseLimits = ANSWER_LIMITS,
): Promise<Response> {
  const { origin } = request instanceof URL ? request : new URL(request.url);
  const caller = request instanceof URL ? init.signal : request.signal;
  const type = request instanceof URL ? new Headers(init.headers).get("content-type") : request.headers.get("content-type");
  const hasFiles = type?.startsWith("multipart/") === true;
  const ending = new AbortController();
  const signal = caller ? AbortSignal.any([caller, ending.signal]) : ending.signal;
  const silent = new AppError("UNAVAILABLE", `The server at ${origin} does not respond. Try again later.`);
  const timer = hasFiles ? undefined : setTimeout(() => ending.abort(silent), limits.headersMs);
  try {
    return await readAnswer(await sendRequest(request, { ...init, signal }), { origin, signal, ending, limits });
  } catch (error) {
    caller?.throwIfAborted();
    ending.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends a request whose response is read while it arrives. The response to a refused request is read within the limits. Rejects like `sendRequest`.
 */
export async function requestStream(request: Request, limits: ResponseLimits = ANSWER_LIMITS): Promise<Response> {
  const response = await sendRequest(request);
  if (response.ok) return response;
  const ending = new AbortController();
  const signal = AbortSignal.any([request.signal, ending.signal]);
  return await readAnswer(response, { origin: new URL(request.url).origin, signal, ending, limits });
}

interface Reading {
  readonly origin: string;
  readonly signal: AbortSignal;
  /** Aborts the response when it takes too long. */
  readonly ending: AbortController;
  readonly limits: ResponseLimits;
}

/** Reads the body of a response within limits. */
async function readAnswer(response: Response, { origin, signal, ending, limits }: Reading): Promise<Response> {
  const { status, statusText, headers, body } = response;
  const end = (message: string, cause?: unknown) => ending.abort(new AppError("UNAVAILABLE", message, { cause }));
  const slow = setTimeout(
    () => end(`The response of the server at ${origin} takes too long. Check its address and your connection.`, ENDLESS),
    limits.bodyMs,
  );
  let idle: ReturnType<typeof setTimeout> | undefined;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined);
  const chunks: Uint8Array[] = [];
  const reader = body?.getReader();
  try {
    for (;;) {
      signal.throwIfAborted();
      clearTimeout(idle);
      idle = setTimeout(() => end(`The server at ${origin} stopped in the middle of a response. Try again later.`), limits.idleMs);
      const read = await Promise.race([reader?.read(), aborted]);
      if (read === undefined || read.done) break;
      chunks.push(read.value);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    throw new AppError("UNAVAILABLE", `The connection to ${origin} broke. Try again.`, { cause: error });
  } finally {
    clearTimeout(slow);
    clearTimeout(idle);
    reader?.cancel().catch(() => undefined);
  }
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), { status, statusText, headers });
}
