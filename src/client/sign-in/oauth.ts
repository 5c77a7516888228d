import { z } from "zod";
import { AppError } from "../../errors.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { ClientError } from "../client-error.ts";
import type { RemoteServer } from "../server/discover-server.ts";
import { fetchWithinLimits } from "../server/fetch-within-limits.ts";
import type { OAuthSecret } from "./secrets.ts";

const LIMITS = { headersMs: 30_000, idleMs: 30_000, bodyMs: 30_000 };
const MAX_MESSAGE_CHARACTERS = 300;

/** The refusal of an OAuth endpoint, such as `authorization_pending`. */
export class OAuthRefusal extends Error {
  override readonly name = "OAuthRefusal";

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Returns the address of an OAuth endpoint. Throws CONFLICT unless the server is used at its configured address: otherwise another server could pass
 * people on to a server that they trust, and get the tokens.
 */
export function oauthUrl(server: RemoteServer, path: `/oauth/${string}`): URL {
  const { apiUrl, siteUrl } = server;
  if (apiUrl === `${siteUrl}/api`) return new URL(siteUrl + path);
  throw new ClientError("CONFLICT", `The server says that its address is ${siteUrl}.`, { advice: [{ kind: "signInAtAddress", siteUrl }] });
}

/** Sends a form, or JSON. Resolves to the response; rejects with OAuthRefusal, or UNAVAILABLE if the request can be repeated. */
export async function sendOAuth(url: URL, body: URLSearchParams | object, signal?: AbortSignal): Promise<unknown> {
  const isForm = body instanceof URLSearchParams;
  const init = {
    method: "POST",
    headers: { "Content-Type": isForm ? "application/x-www-form-urlencoded" : "application/json", Accept: "application/json" },
    body: isForm ? body.toString() : JSON.stringify(body),
    signal: signal ?? null,
  };
  const response = await fetchWithinLimits(url, init, LIMITS);
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const refusal = refused.safeParse(answer).data;
  const said = toSingleLine(refusal?.error_description ?? "").slice(0, MAX_MESSAGE_CHARACTERS);
  if (refusal === undefined || refusal.error === "temporarily_unavailable" || response.status >= 500)
    throw new AppError("UNAVAILABLE", said || `The server at ${url.origin} responded with status ${response.status}. Try again later.`);
  throw new OAuthRefusal(refusal.error, said || "The server refused to sign in.");
}

const refused = z.object({ error: z.string(), error_description: z.string().optional() });

/** The characters of a token that a header can contain. */
const token = z.string().regex(/^[\x21-\x7e]{1,2000}$/);
const issued = z.object({
  access_token: token,
  refresh_token: token,
  expires_in: z.number().min(0).max(1e9).default(0),
  scope: z.string().default(""),
});

/** Requests tokens. Rejects like `sendOAuth`, and with UNAVAILABLE for a response without tokens. */
export async function requestTokens(
  server: RemoteServer,
  fields: Readonly<Record<string, string>> & { readonly client_id: string },
  signal?: AbortSignal,
): Promise<OAuthSecret> {
  const startMs = Date.now();
  const answer = issued.safeParse(await sendOAuth(oauthUrl(server, "/oauth/token"), new URLSearchParams(fields), signal));
  if (!answer.success) throw new AppError("UNAVAILABLE", "The server sent no tokens that this version knows. Install the same version.");
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = answer.data;
  return { clientId: fields.client_id, accessToken, refreshToken, expiresAtMs: startMs + seconds * 1000, scope: toSingleLine(scope) };
}

const registered = z.object({ client_id: token });

interface Registration {
  readonly clientName: string;
  readonly grant: "authorization_code" | "urn:ietf:params:oauth:grant-type:device_code";
  readonly redirectUri?: string;
}

/** Registers this device as a separate application, so that it can be disconnected separately. Resolves to its client ID. */
export async function registerDevice(server: RemoteServer, { clientName, grant, redirectUri }: Registration): Promise<string> {
  const answer = await sendOAuth(oauthUrl(server, "/oauth/register"), {
    client_name: clientName,
    grant_types: [grant, "refresh_token"],
    redirect_uris: redirectUri === undefined ? [] : [redirectUri],
    token_endpoint_auth_method: "none",
  });
  const parsed = registered.safeParse(answer);
  if (parsed.success) return parsed.data.client_id;
  throw new AppError("UNAVAILABLE", "The server sent a response that this version does not know. Install the same version.");
}

/** Ends the connection of a refresh token (oauth, "Tokens"). Rejects like `sendOAuth`. */
export async function revokeConnection(server: RemoteServer, { clientId, refreshToken }: OAuthSecret): Promise<void> {
  await sendOAuth(oauthUrl(server, "/oauth/revoke"), new URLSearchParams({ token: refreshToken, client_id: clientId }));
}

/** Converts a refusal to an error of a command; returns other errors. */
export function toSignInError(error: unknown): unknown {
  if (!(error instanceof OAuthRefusal)) return error;
  const message = error.code === "access_denied" ? "You did not allow this device. Run the command again to sign in." : error.message;
  return new AppError(error.code === "access_denied" ? "FORBIDDEN" : "UNAUTHENTICATED", message, { cause: error });
}
