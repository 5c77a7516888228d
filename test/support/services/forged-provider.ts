import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** The faults in the responses of the provider. */
export interface Forgery {
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Claims of the ID token that replace the correct ones; `undefined` omits a claim. */
  readonly claims?: JWTPayload;
  /** Whether the token is signed with a key that the provider does not publish. */
  readonly isForeignKey?: boolean;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** Responses to paths that replace the correct ones. */
  readonly responses?: Readonly<Record<string, (response: ServerResponse) => void>>;
}

export interface ForgedProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The paths that were requested. */
  readonly requests: readonly string[];
}

/** Starts an OpenID Connect provider with incorrect responses. Its tokens are for the client `filehost` and the nonce `nonce`. */
export async function startForgedProvider(forgery: Forgery): Promise<ForgedProvider> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = await generateKeyPair("RS256");
  const { privateKey } = forgery.isForeignKey ? await generateKeyPair("RS256") : own;
  const key = { ...(await exportJWK(own.publicKey)), kid: "one", alg: "RS256", use: "sig" };
  const requests: string[] = [];
  const documents: Readonly<Record<string, () => Promise<unknown>>> = {
    "/.well-known/openid-configuration": async () => ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      id_token_signing_alg_values_supported: ["RS256"],
      ...forgery.metadata,
    }),
    "/jwks": async () => ({ keys: [key] }),
    "/userinfo": async () => ({ sub: "ada", email: "ada@example.org", email_verified: true, name: "Ada", ...forgery.userInfo }),
    "/token": async () => {
      const nowSeconds = Math.floor(Date.now() / 1000);
      const claims = { iss: issuer, aud: "filehost", sub: "ada", nonce: "nonce", iat: nowSeconds, exp: nowSeconds + 60, ...forgery.claims };
      const id_token = await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(privateKey);
      return { access_token: "access", token_type: "Bearer", id_token };
    },
  };
  server.on("request", async (request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const forged = forgery.responses?.[path];
    if (forged) return forged(response);
    response.setHeader("Content-Type", "application/json").end(JSON.stringify(await documents[path]?.()));
  });
  return {
    issuer,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
