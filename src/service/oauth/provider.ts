import { AsyncLocalStorage } from "node:async_hooks";
import { oauthDeviceAuthorization, oauthProvider } from "@better-auth/oauth-provider";
import { betterAuth } from "better-auth";
import { bearer } from "better-auth/plugins/bearer";
import type { Ctx, OAuthProvider, OAuthRequest } from "../../context.ts";
import { OAUTH_SCOPES } from "../../contract/oauth-scopes.ts";
import type { Db } from "../../db/database.ts";
import { newDeviceUserCode, newSecret, newUuid } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/text/duration.ts";
import { ACCESS_TOKEN_PREFIX, resourceUrls } from "../accounts/access-tokens.ts";
import { SESSION_MS } from "../accounts/sessions.ts";
import { libraryDatabase } from "./library-database.ts";

/** Validity of codes and tokens. A refresh token's time starts when the last one was issued (oauth, "Tokens"). */
const OAUTH_TIMES = { codeMs: 10 * MINUTE_MS, deviceMs: 15 * MINUTE_MS, accessMs: HOUR_MS, refreshMs: 30 * DAY_MS } as const;

/** The scope for which the library issues refresh tokens. It is added to each request and is not a scope of filehost. */
export const REFRESH_SCOPE = "offline_access";

/** Paths to which the library redirects. They are only compared, never opened. */
export const LIBRARY_PAGES = { signIn: "/sign-in-first", consent: "/ask-for-consent" } as const;

/**
 * Opens `@better-auth/oauth-provider` on filehost's tables. Its endpoints are not mounted: this folder calls them with checked requests in
 * transactions, because it assumes that no other request runs between its statements.
 */
export function openOAuthProvider(ctx: Ctx): OAuthProvider {
  const database = new AsyncLocalStorage<Db>();
  const baseUrl = `${ctx.urls.siteUrl}/oauth`;
  const { handler } = betterAuth({
    appName: ctx.config.branding.name,
    secret: ctx.keyring.sign("better-auth"),
    baseURL: baseUrl,
    database: libraryDatabase({
      db: () => database.getStore() ?? ctx.db,
      keyring: ctx.keyring,
      resources: Object.values(resourceUrls(ctx.urls)),
    }),
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { log: (level, message, ...details) => ctx.log[level]({ details }, message) },
    advanced: { database: { generateId: () => newUuid(ctx.random, ctx.now()) } },
    user: { modelName: "users" },
    session: { modelName: "sessions", expiresIn: SESSION_MS / 1000, disableSessionRefresh: true },
    verification: { modelName: "verifications", storeIdentifier: "hashed" },
    plugins: [
      bearer(),
      oauthProvider({
        loginPage: LIBRARY_PAGES.signIn,
        consentPage: LIBRARY_PAGES.consent,
        disableJwtPlugin: true,
        scopes: [...OAUTH_SCOPES, REFRESH_SCOPE],
        grantTypes: ["authorization_code", "refresh_token"],
        enforcePerClientResources: false,
        codeExpiresIn: OAUTH_TIMES.codeMs / 1000,
        accessTokenExpiresIn: OAUTH_TIMES.accessMs / 1000,
        refreshTokenExpiresIn: OAUTH_TIMES.refreshMs / 1000,
        storeTokens: { hash: async (token) => hashToken(token) },
        generateOpaqueAccessToken: () => newSecret(ctx.random, ACCESS_TOKEN_PREFIX),
        generateRefreshToken: () => newSecret(ctx.random, "refresh_"),
        schema: {
          oauthClient: { modelName: "oauthClients" },
          oauthConsent: { modelName: "oauthConsents" },
          oauthRefreshToken: { modelName: "oauthRefreshTokens" },
          oauthAccessToken: { modelName: "oauthAccessTokens" },
        },
      }),
      oauthDeviceAuthorization({
        expiresIn: `${OAUTH_TIMES.deviceMs / 1000}s`,
        interval: "5s",
        verificationUri: `${ctx.urls.siteUrl}/device`,
        generateDeviceCode: () => newSecret(ctx.random, "device_"),
        generateUserCode: () => newDeviceUserCode(ctx.random),
        schema: { deviceCode: { modelName: "deviceCodes" } },
      }),
    ],
  });
  return {
    async handle(db, request) {
      const response = await database.run(db, () => handler(toRequest(baseUrl, request)));
      // Throws, so that the transaction does not commit half of the work.
      if (response.status >= 500) throw new Error(`The OAuth library failed at ${request.path}: ${await response.text()}`);
      return response;
    },
  };
}

function toRequest(baseUrl: string, { path, sessionToken, body }: OAuthRequest): Request {
  const headers = new Headers({ Accept: "application/json" });
  if (sessionToken !== undefined) headers.set("Authorization", `Bearer ${sessionToken}`);
  if (body === undefined) return new Request(baseUrl + path, { headers });
  const isForm = body instanceof URLSearchParams;
  headers.set("Content-Type", isForm ? "application/x-www-form-urlencoded" : "application/json");
  return new Request(baseUrl + path, { method: "POST", headers, body: isForm ? body.toString() : JSON.stringify(body) });
}
