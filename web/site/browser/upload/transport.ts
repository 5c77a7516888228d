/** Sends requests. Uses XMLHttpRequest, which reports how much of a body was sent. */
import { lostConnection } from "./failures.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob | FormData | string;
  readonly signal: AbortSignal;
  /** Receives the number of bytes of the body that were sent. */
  onProgress?(bytes: number): void;
}

export interface HttpResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

/** The time after which a request that sends no bytes has lost its connection. Browsers notice this late. */
const STALL_MS = 30_000;
/** The time after which a missing response counts as lost. A busy server may be slow. */
const RESPONSE_MS = 120_000;

/** Sends a request, and resolves to any response. Rejects with a `TemporaryFailure` without one, or with the signal's reason. */
export function sendRequest({ method, url, headers = {}, body, signal, onProgress }: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    // A signal that has already aborted does not call listeners.
    if (signal.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    let stall: ReturnType<typeof setTimeout> | undefined;
    const watch = (ms: number): void => {
      clearTimeout(stall);
      stall = setTimeout(() => request.abort(), ms);
    };
    if (onProgress) {
      request.upload.onloadstart = () => watch(STALL_MS);
      request.upload.onprogress = ({ loaded }) => {
        watch(STALL_MS);
        onProgress(loaded);
      };
      request.upload.onload = () => watch(RESPONSE_MS);
    }
    request.onload = () => {
      // Reading a header that a store does not expose to this site logs an error in the console.
      const isOwn = new URL(url, location.href).origin === location.origin;
      resolve({ status: request.status, text: request.responseText, retryAfter: isOwn ? request.getResponseHeader("Retry-After") : null });
    };
    request.onerror = () => reject(lostConnection());
    request.onabort = () => reject(signal.aborted ? signal.reason : lostConnection());
    request.onloadend = () => {
      clearTimeout(stall);
      signal.removeEventListener("abort", abort);
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(body);
  });
}
