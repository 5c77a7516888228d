import { AsyncLocalStorage } from "node:async_hooks";
import { oauthDeviceAuthorization, oauthProvider } from "@better-auth/oauth-provider";
import { betterAuth } from "better-auth";
import { bearer } from "better-auth/plugins/bearer";
import type { BetterAuthOptions, DBAdapter } from "better-auth/types";
import type { Ctx } from "../../context.ts";
import { OAUTH_SCOPES } from "../../contract/oauth-scopes.ts";
import type { Db } from "../../db/database.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/duration.ts";
import { newDeviceUserCode, newSecret } from "../../lib/ids.ts";
import { hashToken } from "../../lib/secrets.ts";
import { ACCESS_TOKEN_PREFIX, resourceUrls } from "../accounts/access-tokens.ts";
import { authOptions } from "../sign-in/auth.ts";
import { authDatabase } from "../sign-in/auth-database.ts";

/** How long codes and tokens are valid; refresh tokens, since the last was issued (oauth, "Tokens"). */
const OAUTH_TIMES = { codeMs: 10 * MINUTE_MS, deviceMs: 15 * MINUTE_MS, accessMs: HOUR_MS, refreshMs: 30 * DAY_MS } as const;

/** The scope for which the library issues refresh tokens. Added to each request, and no scope of filehost. */
export const REFRESH_SCOPE = "offline_access";

/** Paths to which the library redirects. They are only compared, never opened. */
export const LIBRARY_PAGES = { signIn: "/sign-in-first", consent: "/ask-for-consent" } as const;

/** A request to an endpoint of the library. */
export interface ProviderRequest {
  readonly path: string;
  /** The person's session. */
  readonly sessionToken?: string | undefined;
  /** Sent as a form, or as JSON. Undefined: a GET. */
  readonly body?: URLSearchParams | object;
}

export interface OAuthProvider {
  /** Responds to a request, with all statements in `db`: in a transaction, they take effect together. */
  handle(db: Db, request: ProviderRequest): Promise<Response>;
}

/**
 * Opens `@better-auth/oauth-provider` on filehost's tables. Its endpoints are not mounted: the functions of this folder call them with requests that
 * they have checked, in transactions, because it relies on no other request between its statements.
 */
export function openOAuthProvider(ctx: Ctx): OAuthProvider {
  const database = new AsyncLocalStorage<Db>();
  const openDatabase = authDatabase(() => database.getStore() ?? ctx.db);
  const baseUrl = `${ctx.urls.siteUrl}/oauth`;
  const { handler } = betterAuth({
    ...authOptions(ctx),
    baseURL: baseUrl,
    database: (options: BetterAuthOptions) =>
      withKeyedCodes(withResources(openDatabase(options), Object.values(resourceUrls(ctx.urls))), ctx),
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
      // A transaction must not commit half of it.
      if (response.status >= 500) throw new Error(`The OAuth library failed at ${request.path}: ${await response.text()}`);
      return response;
    },
  };
}

function toRequest(baseUrl: string, { path, sessionToken, body }: ProviderRequest): Request {
  const headers = new Headers({ Accept: "application/json" });
  if (sessionToken !== undefined) headers.set("Authorization", `Bearer ${sessionToken}`);
  if (body === undefined) return new Request(baseUrl + path, { headers });
  const isForm = body instanceof URLSearchParams;
  headers.set("Content-Type", isForm ? "application/x-www-form-urlencoded" : "application/json");
  return new Request(baseUrl + path, { method: "POST", headers, body: isForm ? body.toString() : JSON.stringify(body) });
}

/** The parts of the service that tokens are for are known, so they need no table. */
function withResources(adapter: DBAdapter<BetterAuthOptions>, identifiers: readonly string[]): DBAdapter<BetterAuthOptions> {
  return {
    ...adapter,
    findOne: async <T>(query: Parameters<typeof adapter.findOne>[0]): Promise<T | null> => {
      if (query.model !== "oauthResource") return await adapter.findOne<T>(query);
      const identifier = identifiers.find((one) => query.where.some(({ value }) => value === one));
      return identifier === undefined ? null : ({ id: identifier, identifier, name: identifier } as T);
    },
  };
}

/** The stored form of a device's codes. That of a person is short, so its hash has a key. */
export const toStoredCode = ({ keyring }: Pick<Ctx, "keyring">, code: string): string => keyring.sign(`device:${code}`);

function withKeyedCodes(adapter: DBAdapter<BetterAuthOptions>, ctx: Pick<Ctx, "keyring">): DBAdapter<BetterAuthOptions> {
  const isCode = (field: string): boolean => field === "deviceCode" || field === "userCode";
  const stored = (field: string, value: unknown): unknown => (isCode(field) ? toStoredCode(ctx, String(value)) : value);
  return {
    ...adapter,
    create: async <T extends Record<string, unknown>, R = T>(query: Parameters<typeof adapter.create<T, R>>[0]): Promise<R> => {
      if (query.model !== "deviceCode") return await adapter.create<T, R>(query);
      const data = Object.fromEntries(Object.entries(query.data).map(([field, value]) => [field, stored(field, value)]));
      return await adapter.create<T, R>({ ...query, data: data as typeof query.data });
    },
    findOne: async <T>(query: Parameters<typeof adapter.findOne>[0]): Promise<T | null> => {
      if (query.model !== "deviceCode") return await adapter.findOne<T>(query);
      const where = query.where.map((one) => (isCode(one.field) ? { ...one, value: toStoredCode(ctx, String(one.value)) } : one));
      return await adapter.findOne<T>({ ...query, where });
    },
  };
}
