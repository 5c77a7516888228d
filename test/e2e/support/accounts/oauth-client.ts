import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";

/** An application with the official client, which knows only the address of MCP. The test acts as its browser. */
export interface OAuthApplication extends AsyncDisposable {
  /** Connects. Resolves to undefined if it first needs the consent at `consentUrl`. */
  connect(): Promise<Client | undefined>;
  readonly consentUrl: URL;
  /** Resolves to the query with which the browser returns. */
  readonly answer: Promise<URLSearchParams>;
  /** Exchanges the code in the browser's query. */
  finish(answer: URLSearchParams): Promise<void>;
  readonly tokens: StoredOAuthTokens | undefined;
  /** Replaces the access token by one that the server refuses. */
  breakAccessToken(): void;
}

/** Starts an application that waits on this machine for the browser to return. */
export async function startApplication(mcpUrl: string, name: string): Promise<OAuthApplication> {
  const back = Promise.withResolvers<URLSearchParams>();
  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://127.0.0.1");
    if (url.pathname === "/callback") back.resolve(url.searchParams);
    response.setHeader("Content-Type", "text/html").end("<!doctype html><title>Back</title><h1>You can close this page</h1>");
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const redirectUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
  const clientMetadata: OAuthClientMetadata = { client_name: name, redirect_uris: [redirectUrl] };
  let registered: StoredOAuthClientInformation | undefined;
  let tokens: StoredOAuthTokens | undefined;
  let verifier = "";
  let discovered: OAuthDiscoveryState | undefined;
  let consentUrl: URL | undefined;
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata,
    state: () => "the application's state",
    clientInformation: () => registered,
    saveClientInformation: (information) => {
      registered = information;
    },
    tokens: () => tokens,
    saveTokens: (issued) => {
      tokens = issued;
    },
    redirectToAuthorization: (url) => {
      consentUrl = url;
    },
    saveCodeVerifier: (created) => {
      verifier = created;
    },
    codeVerifier: () => verifier,
    invalidateCredentials: () => {
      tokens = undefined;
    },
    saveDiscoveryState: (state) => {
      discovered = state;
    },
    discoveryState: () => discovered,
  };
  const newTransport = () => new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider });
  let asking: StreamableHTTPClientTransport | undefined;
  const clients: Client[] = [];
  return {
    async connect() {
      const client = new Client({ name, version: "1" });
      const transport = newTransport();
      try {
        await client.connect(transport);
        clients.push(client);
        return client;
      } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error;
        asking = transport;
        return undefined;
      }
    },
    get consentUrl() {
      if (!consentUrl) throw new Error("The application has not asked for consent.");
      return consentUrl;
    },
    answer: back.promise,
    finish: async (answer) => await (asking ?? newTransport()).finishAuth(answer),
    get tokens() {
      return tokens;
    },
    breakAccessToken() {
      if (tokens) tokens = { ...tokens, access_token: "oauth_expired" };
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
