import { createHmac } from "node:crypto";
import { AppError } from "../../errors.ts";
import type { Network } from "../../net/networks.ts";
import { createSafeFetch, type SafeFetchOptions, type SafeResponse } from "../../net/safe-fetch.ts";
import { checkWebhookUrl, resolveWithin } from "./endpoint-url.ts";
import { WEBHOOKS } from "./limits.ts";

/** One signed request. */
export interface WebhookMessage {
  readonly url: string;
  /** The whole signing secret, with `whsec_`. */
  readonly secret: string;
  /** The ID of the event. */
  readonly id: string;
  readonly body: string;
  readonly nowMs: number;
}

/** The outcome of an attempt. */
export interface AttemptResult {
  readonly responseStatus: number | null;
  /** The error as a sentence for the endpoint's owner; null on success. */
  readonly error: string | null;
}

/** Sends one signed message. Never rejects: any failure is a failed attempt. */
export interface WebhookSender extends AsyncDisposable {
  (message: WebhookMessage): Promise<AttemptResult>;
}

export interface SenderOptions extends Pick<SafeFetchOptions, "ca" | "resolve"> {
  /** The administrator's networks, which deliveries may reach although they are not public. Plain HTTP is permitted only there. */
  readonly networks: readonly Network[];
  readonly version: string;
  readonly timeoutMs?: number;
}

/** Maximum number of bytes of a response body that are read so that the connection can be reused. */
const MAX_DRAINED_BYTES = 16 * 1024;

export function createWebhookSender(options: SenderOptions): WebhookSender {
  const { networks, version, timeoutMs = WEBHOOKS.timeoutMs, resolve, ...tls } = options;
  const secure = createSafeFetch({ ...tls, resolve, allowedNetworks: networks, connectTimeoutMs: timeoutMs });
  const plain = createSafeFetch({ allowedNetworks: networks, resolve: resolveWithin(networks, resolve), connectTimeoutMs: timeoutMs });

  const send = async (message: WebhookMessage): Promise<AttemptResult> => {
    const url = checkWebhookUrl(message.url, networks);
    const response = await (url.protocol === "http:" ? plain : secure)({
      url: message.url,
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": `filehost/${version}`, ...signatureHeaders(message) },
      body: message.body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await drain(response);
    return { responseStatus: response.status, error: toStatusError(response.status) };
  };
  const attempt = (message: WebhookMessage): Promise<AttemptResult> =>
    send(message).catch((error: unknown) => ({ responseStatus: null, error: toSendError(error, timeoutMs) }));
  return Object.assign(attempt, {
    async [Symbol.asyncDispose]() {
      await Promise.all([secure[Symbol.asyncDispose](), plain[Symbol.asyncDispose]()]);
    },
  });
}

/** Returns the documented headers: HMAC-SHA256 over `{id}.{timestamp}.{rawBody}`, keyed with the whole secret (webhooks, "Signature"). */
function signatureHeaders({ secret, id, body, nowMs }: Omit<WebhookMessage, "url">): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const digest = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("hex");
  return {
    "service-webhook-id": id,
    "service-webhook-timestamp": timestamp,
    "service-webhook-signature": `v1,${digest}`,
  };
}

async function drain(response: SafeResponse): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > MAX_DRAINED_BYTES) break;
    }
  } catch {
    // Ignores a failed read of the body, because the status alone decides the outcome.
  }
}

function toStatusError(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const isRedirect = status >= 300 && status < 400;
  return `The endpoint responded with status ${status}.${isRedirect ? " Redirects are not followed: set the final URL." : ""}`;
}

function toSendError(error: unknown, timeoutMs: number): string {
  if (error instanceof AppError && error.code !== "REMOTE_TIMEOUT") return error.message;
  const isTimeout = error instanceof AppError || (error instanceof Error && error.name === "TimeoutError");
  if (isTimeout) return `The endpoint did not respond within ${timeoutMs / 1000} seconds.`;
  return "The endpoint cannot be reached.";
}
