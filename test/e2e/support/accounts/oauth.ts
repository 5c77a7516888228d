import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { type ApiResponse, call } from "../api/api.ts";
import { homeOf } from "./person.ts";

type Server = { readonly url: string };

const CALLBACK = "http://127.0.0.1:33418/callback";

/** An application that has registered itself. */
export interface App {
  readonly clientId: string;
  readonly redirectUri: string;
}

/** The values that an application remembers while it asks for consent. */
export interface Asked {
  readonly url: string;
  readonly verifier: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly token_type: string;
  readonly expires_in: number;
}

/** The setting with which applications can register as often as tests need. */
export const MANY_REGISTRATIONS = { FILEHOST_LIMITS: '{"rates":{"clientRegistrations":1000}}' } as const;

/** Sends a registration. */
export const sendRegistration = (server: Server, metadata: unknown, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
  call(server, "POST", "/oauth/register", { json: metadata, headers });

/** Registers an application. */
export async function registerApp(server: Server, redirectUri = CALLBACK, name = "A test application"): Promise<App> {
  const { status, body } = await sendRegistration(server, { client_name: name, redirect_uris: [redirectUri] });
  assert.equal(status, 201, JSON.stringify(body));
  return { clientId: String(body.client_id), redirectUri };
}

/** Returns the URL at which an application asks for consent. `change` replaces parameters, and removes undefined ones. */
export function askFor(server: Server, { clientId, redirectUri }: App, change: Readonly<Record<string, string | undefined>> = {}): Asked {
  const verifier = randomBytes(32).toString("base64url");
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state: "a state",
    scope: "files.read files.write",
    resource: `${homeOf(server)}/mcp`,
    ...change,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return { url: `${homeOf(server)}/oauth/authorize?${query}`, verifier };
}

/** Opens a page like a browser with the cookie of a session, without following redirects. */
export const open = (url: string, session: string | undefined, init: RequestInit = {}): Promise<Response> =>
  fetch(url, {
    redirect: "manual",
    ...init,
    headers: { Accept: "text/html", ...(session !== undefined && { Cookie: `session=${session}` }), ...init.headers },
  });

/** Sends the form of a page, like the browser. */
export function sendForm(
  url: string,
  session: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = { Origin: new URL(url).origin },
): Promise<Response> {
  return open(url, session, { method: "POST", body: new URLSearchParams(fields), headers });
}

/** Reads the hidden fields of the form that asks for consent. */
export async function readConsentPage(response: Response): Promise<{ readonly request: string; readonly account: string }> {
  const html = await response.text();
  assert.equal(response.status, 200, html);
  const readField = (name: string): string => new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const fields = { request: readField("request"), account: readField("account") };
  assert.ok(fields.request && fields.account, html);
  return fields;
}

/** Answers the page that asks for consent. Resolves to the address to which the browser is redirected. */
export async function decideOn({ url }: Asked, session: string, decision: "allow" | "cancel" = "allow"): Promise<URL> {
  const fields = await readConsentPage(await open(url, session));
  const answer = await sendForm(url, session, { ...fields, decision });
  assert.equal(answer.status, 303, await answer.text());
  return new URL(answer.headers.get("location") ?? "");
}

/** Sends a form to an endpoint of OAuth. */
export const sendTo = (server: Server, path: string, fields: Readonly<Record<string, string>>): Promise<ApiResponse> =>
  call(server, "POST", path, { body: new URLSearchParams(fields) });

/** Exchanges a code for tokens; `change` replaces parameters. */
export const exchange = (
  server: Server,
  { clientId, redirectUri }: App,
  { code, verifier, ...change }: { readonly code: string; readonly verifier: string } & Readonly<Record<string, string>>,
): Promise<ApiResponse> =>
  sendTo(server, "/oauth/token", {
    grant_type: "authorization_code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
    ...change,
  });

/** Exchanges a refresh token for new tokens. */
export const refresh = (
  server: Server,
  { clientId }: Pick<App, "clientId">,
  token: string,
  change: Readonly<Record<string, string>> = {},
): Promise<ApiResponse> =>
  sendTo(server, "/oauth/token", { grant_type: "refresh_token", client_id: clientId, refresh_token: token, ...change });

/** Asks for consent, gets it, and exchanges the code. */
export async function connectApp(
  server: Server,
  app: App,
  session: string,
  change: Readonly<Record<string, string | undefined>> = {},
): Promise<Tokens> {
  const asked = askFor(server, app, change);
  const code = (await decideOn(asked, session)).searchParams.get("code") ?? "";
  const { status, body } = await exchange(server, app, { code, verifier: asked.verifier });
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Tokens;
}

/** Sends a message to MCP with a token. The body of a successful response is empty. */
export async function sendMcp(server: Server, token: string | undefined, method: string, params: object = {}): Promise<ApiResponse> {
  const response = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: {
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      "MCP-Protocol-Version": "2025-11-25",
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: response.ok ? {} : JSON.parse(text) };
}

/** Uses MCP with a token, if any. */
export const useMcp = (server: Server, token?: string): Promise<ApiResponse> => sendMcp(server, token, "tools/list");
