import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

const CLIENT = { id: "filehost", secret: "a secret of the client & its provider" } as const;

/** The provider's claims about a person, whose login is their subject. */
export interface ProviderPerson {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export interface TestIdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  /** People by login. Other logins have no address. */
  readonly people: Map<string, ProviderPerson>;
  /** Delays, by login, before the provider responds with a person's claims. */
  readonly delays: Map<string, () => Promise<unknown>>;
  /** The settings with which a server uses the provider. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Signs in on the provider's pages without a browser, and consents to its questions. Resolves to the URL to which the pages redirect the browser, and
 * does not open it.
 */
export async function signInAtProvider(url: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let response = await visit(url);
  for (let steps = 0; steps < 10; steps++) {
    const location = response.headers.get("location");
    const next = location === null ? undefined : new URL(location, response.url);
    if (next && next.origin !== new URL(url).origin) return next;
    if (next) response = await visit(next.href);
    else {
      const prompt = /name="prompt" value="(\w+)"/.exec(await response.text())?.[1] ?? "";
      response = await visit(response.url, new URLSearchParams({ prompt, login, password: "any" }));
    }
  }
  throw new Error(`The provider did not send the browser back: ${response.status} at ${response.url}`);

  async function visit(target: string, body?: URLSearchParams): Promise<Response> {
    const headers = { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const answer = await fetch(target, { redirect: "manual", headers, ...(body && { method: "POST", body }) });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return answer;
  }
}

/** Starts a real OpenID Connect provider, whose pages accept any password. */
export async function startIdentityProvider(redirectUri: string): Promise<TestIdentityProvider> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, ProviderPerson>();
  const delays = new Map<string, () => Promise<unknown>>();
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    cookies: { keys: [crypto.randomUUID()] },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "RS256", use: "sig" }] },
    async findAccount(_, id) {
      await delays.get(id)?.();
      return { accountId: id, claims: () => ({ sub: id, ...people.get(id) }) };
    },
  });
  server.on("request", provider.callback());
  return {
    issuer,
    people,
    delays,
    env: {
      FILEHOST_OIDC_ISSUER: issuer,
      FILEHOST_OIDC_CLIENT_ID: CLIENT.id,
      FILEHOST_OIDC_CLIENT_SECRET: CLIENT.secret,
      FILEHOST_OIDC_NAME: "Example login",
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
