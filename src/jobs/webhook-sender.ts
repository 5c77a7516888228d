import { createHmac } from "node:crypto";
import type { Network } from "../domain/address.ts";
import { WEBHOOKS } from "../domain/webhooks.ts";
import { AppError } from "../errors.ts";
import { createSafeFetch, type SafeFetchOptions, type SafeResponse } from "../net/safe-fetch.ts";
import { checkWebhookUrl, resolveWithin } from "../net/webhook-url.ts";

/** One attempt: what goes where, and what it is signed with. */
export interface WebhookMessage {
  readonly url: string;
  /** The whole signing secret, `whsec_` included. */
  readonly secret: string;
  /** The event's id. */
  readonly id: string;
  readonly body: string;
  readonly nowMs: number;
}

/** How an attempt went: `error` null where the receiver has taken the event. */
export interface AttemptResult {
  readonly responseStatus: number | null;
  readonly error: string | null;
}

/** Sends one signed message. Never rejects: whatever goes wrong is a failed attempt, with a sentence for the endpoint's owner. */
export interface WebhookSender extends AsyncDisposable {
  (message: WebhookMessage): Promise<AttemptResult>;
}

export interface SenderOptions extends Pick<SafeFetchOptions, "ca" | "resolve"> {
  /** Networks of the operator's that may be reached although they are not public; plain HTTP goes nowhere else. */
  readonly networks: readonly Network[];
  readonly version: string;
  readonly timeoutMs?: number;
}

/** So much of an answer is read, so that its connection can be used again. */
const MOST_ANSWER_BYTES = 16 * 1024;

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
    await readSome(response);
    return { responseStatus: response.status, error: toRefusal(response.status) };
  };
  const attempt = (message: WebhookMessage): Promise<AttemptResult> =>
    send(message).catch((error: unknown) => ({ responseStatus: null, error: toSentence(error, timeoutMs) }));
  return Object.assign(attempt, {
    async [Symbol.asyncDispose]() {
      await Promise.all([secure[Symbol.asyncDispose](), plain[Symbol.asyncDispose]()]);
    },
  });
}

/** The documented headers: HMAC-SHA256 over `{id}.{timestamp}.{rawBody}`, keyed with the whole secret (interface, "Events"). */
function signatureHeaders({ secret, id, body, nowMs }: Omit<WebhookMessage, "url">): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const digest = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("hex");
  return {
    "service-webhook-id": id,
    "service-webhook-timestamp": timestamp,
    "service-webhook-signature": `v1,${digest}`,
  };
}

async function readSome(response: SafeResponse): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > MOST_ANSWER_BYTES) break;
    }
  } catch {
    // The status has come, and says it all.
  }
}

function toRefusal(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const isRedirect = status >= 300 && status < 400;
  return `The receiver answered ${status}.${isRedirect ? " Redirects are not followed: set the address at which they end." : ""}`;
}

function toSentence(error: unknown, timeoutMs: number): string {
  if (error instanceof AppError && error.code !== "REMOTE_TIMEOUT") return error.message;
  const isTimeout = error instanceof AppError || (error instanceof Error && error.name === "TimeoutError");
  if (isTimeout) return `The receiver did not answer within ${timeoutMs / 1000} seconds.`;
  return "The receiver could not be reached.";
}
