import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { AppError } from "../../errors.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import type { RemoteServer } from "../server/discover-server.ts";
import { OAuthRefusal, oauthUrl, registerDevice, requestTokens } from "./oauth.ts";
import type { OAuthSecret } from "./secrets.ts";

export interface SignIn {
  readonly server: RemoteServer;
  readonly scope: string;
  /** The name of this device in the person's list of applications. */
  readonly clientName: string;
  readonly signal: AbortSignal;
}

interface BrowserSignIn extends SignIn {
  /** Shows the page on which a person allows the sign-in. */
  open(url: URL): Promise<void>;
}

const CALLBACK_PATH = "/callback";
const TIMEOUT_MS = 15 * 60_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Signs in with a page in a browser on this machine (oauth, "Consent"), which returns to a port of loopback. Rejects with OAuthRefusal, UNAVAILABLE,
 * or the signal's reason.
 */
export async function signInByBrowser({ server, scope, clientName, signal, open }: BrowserSignIn): Promise<OAuthSecret> {
  const authorizeUrl = oauthUrl(server, "/oauth/authorize");
  const state = randomBytes(32).toString("base64url");
  const verifier = randomBytes(32).toString("base64url");
  const back = Promise.withResolvers<URLSearchParams>();
  const listener = await listen(state, back.resolve);
  try {
    const redirectUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${CALLBACK_PATH}`;
    const clientId = await registerDevice(server, { clientName, grant: "authorization_code", redirectUri });
    authorizeUrl.search = new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      state,
      scope,
      resource: server.configuredApiUrl,
    }).toString();
    await open(authorizeUrl);
    const answer = await withEnd(back.promise, signal);
    const code = readCode(server, answer);
    const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
    return await requestTokens(server, { ...fields, client_id: clientId, resource: server.configuredApiUrl }, signal);
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}

function readCode({ siteUrl }: RemoteServer, answer: URLSearchParams): string {
  // `iss` names the server that issued the code (RFC 9207). The code of another server is not sent to this one.
  if (answer.get("iss") !== siteUrl) throw new AppError("UNAVAILABLE", "The browser came back from another server. Run the command again.");
  const error = answer.get("error");
  if (error !== null) throw new OAuthRefusal(error, toSingleLine(answer.get("error_description") ?? "The server refused to sign in."));
  const code = answer.get("code");
  if (code === null) throw new AppError("UNAVAILABLE", "The browser came back without a code. Run the command again.");
  return code;
}

/** Listens for the browser that returns with the right state. Other requests get an error, and change nothing. */
async function listen(state: string, onAnswer: (answer: URLSearchParams) => void): Promise<Server> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    const url = URL.parse(request.url ?? "", "http://127.0.0.1");
    const isAnswer = request.method === "GET" && url?.pathname === CALLBACK_PATH && isEqual(url.searchParams.get("state") ?? "", state);
    response.writeHead(isAnswer ? 200 : 404, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": "default-src 'none'",
      "Referrer-Policy": "no-referrer",
      Connection: "close",
    });
    const isAllowed = url?.searchParams.has("code");
    response.end(isAnswer ? page(isAllowed ? "Go back to the terminal" : "Not connected") : page("Link not found"));
    if (isAnswer) response.on("close", () => onAnswer(url.searchParams));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
}

const page = (title: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>filehost</title><h1>${title}</h1><p>You can close this page.</p></html>`;

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function withEnd<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const ended = AbortSignal.any([signal, timeout]);
  const { promise: end, reject } = Promise.withResolvers<never>();
  const onAbort = (): void =>
    reject(timeout.aborted ? new AppError("UNAVAILABLE", "Nobody has signed in for 15 minutes. Run the command again.") : signal.reason);
  ended.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, end]);
  } finally {
    ended.removeEventListener("abort", onAbort);
  }
}
