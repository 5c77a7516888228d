import type { Configuration, CustomFetchOptions } from "openid-client";
import { createCachedValue } from "../lib/concurrency/cached-value.ts";
import { HOUR_MS } from "../lib/text/duration.ts";

export interface IdentityProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** The URL to which the provider sends the browser back. */
  readonly redirectUri: string;
  /** Timeout of each request; default: 10 seconds. */
  readonly timeoutMs?: number;
}

/** The secrets of one sign-in, which the provider's response must match. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The identity of a person at the provider. */
export interface Identity {
  readonly subject: string;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  readonly name: string | undefined;
  /** Time of the last proof to the provider; undefined if the provider does not report it. */
  readonly provedAtMs: number | undefined;
}

/** Signs people in with an OpenID Connect provider: authorization code with PKCE, state and nonce (accounts, "OpenID Connect"). */
export interface IdentityProvider {
  /** Returns the URL of the provider's page for the browser. With `isProof`, the provider must ask for the password again. Throws ProviderError. */
  authorizationUrl(checks: SignInChecks, options: { readonly isProof: boolean }): Promise<URL>;
  /** Exchanges the query that the browser brings back. Throws ProviderError. */
  identify(query: URLSearchParams, checks: SignInChecks): Promise<Identity>;
  /** Gets the provider's description again. Throws ProviderError. */
  discover(): Promise<void>;
}

/**
 * The reason why a sign-in at the provider failed: the provider cannot be reached or is misconfigured (`unavailable`), the person cancelled
 * (`cancelled`), or the response is not valid (`invalid`).
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  constructor(
    readonly kind: "unavailable" | "cancelled" | "invalid",
    message: string,
  ) {
    super(message);
  }
}

type Client = typeof import("openid-client");

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 512 * 1024;
const CLOCK_TOLERANCE_SECONDS = 60;

/** Creates the provider. It loads the library and the provider's description at the first use. */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const configuration = createCachedValue({ now: Date.now, make: () => discover(options), maxAgeMs: () => HOUR_MS });
  return {
    async authorizationUrl(checks, { isProof }) {
      const client = await import("openid-client");
      return await classifyErrors(client, async () => {
        const url = client.buildAuthorizationUrl(await configuration.get(), {
          redirect_uri: options.redirectUri,
          scope: options.scopes,
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
          code_challenge_method: "S256",
          ...(isProof && { prompt: "login", max_age: "0" }),
        });
        if (url.protocol === "https:" || url.protocol === new URL(options.issuer).protocol) return url;
        throw new ProviderError("unavailable", `its authorization endpoint ${url.origin} has no TLS`);
      });
    },
    async identify(query, checks) {
      const client = await import("openid-client");
      return await classifyErrors(client, async () => await identify(client, await configuration.get(), { options, query, checks }));
    },
    async discover() {
      configuration.expire();
      await classifyErrors(await import("openid-client"), () => configuration.get());
    },
  };
}

async function discover({
  issuer,
  clientId,
  clientSecret,
  timeoutMs = REQUEST_TIMEOUT_MS,
}: IdentityProviderOptions): Promise<Configuration> {
  const client = await import("openid-client");
  const isSecure = issuer.startsWith("https:");
  return await client.discovery(
    new URL(issuer),
    clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    (as, ...request) => toAuthentication(client, as.token_endpoint_auth_methods_supported, clientSecret)(as, ...request),
    {
      [client.customFetch]: (url, request) => fetchBounded(url, request, timeoutMs),
      execute: [client.enableNonRepudiationChecks, ...(isSecure ? [] : [client.allowInsecureRequests])],
    },
  );
}

/** Returns how the client proves itself. Providers that do not declare a method accept the specification's default. */
function toAuthentication(client: Client, methods: readonly string[] = ["client_secret_basic"], secret: string | undefined) {
  if (secret === undefined) return client.None();
  return methods.includes("client_secret_basic") ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}

async function identify(
  client: Client,
  configuration: Configuration,
  { options, query, checks }: { options: IdentityProviderOptions; query: URLSearchParams; checks: SignInChecks },
): Promise<Identity> {
  const tokens = await client.authorizationCodeGrant(configuration, new URL(`${options.redirectUri}?${query}`), {
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    pkceCodeVerifier: checks.codeVerifier,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new ProviderError("invalid", "it sent no ID token");
  const subject = checkSubject(claims.sub);
  // Many providers have the address in their response to this request alone.
  const hasUserInfo = toText(claims.email) === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const about = hasUserInfo ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
  return {
    subject,
    email: toText(about.email),
    isEmailVerified: about.email_verified === true || about.email_verified === "true",
    name: toText(about.name),
    provedAtMs: claims.auth_time === undefined ? undefined : claims.auth_time * 1000,
  };
}

const MAX_SUBJECT_CHARACTERS = 255;

/**
 * Returns the subject, the only value that distinguishes a provider's people. Throws ProviderError if it could be ambiguous: it is blank, too long,
 * or has characters that a database cuts or replaces.
 */
function checkSubject(subject: unknown): string {
  const isValid =
    typeof subject === "string" &&
    /[^\p{C}\p{Z}\u2800]/u.test(subject) &&
    subject.length <= MAX_SUBJECT_CHARACTERS &&
    subject.isWellFormed() &&
    !/\p{Cc}/u.test(subject);
  if (isValid) return subject;
  throw new ProviderError("invalid", `its ID token has no usable subject: \`sub\` must have 1 to ${MAX_SUBJECT_CHARACTERS} characters`);
}

/** Returns a claim that is a text and not blank; otherwise undefined. */
const toText = (claim: unknown): string | undefined => (typeof claim === "string" && claim.trim() !== "" ? claim.trim() : undefined);

/** Sends a request with a time limit, follows no redirect, and reads a response of a limited size. */
async function fetchBounded(url: string, { signal: _, ...request }: CustomFetchOptions, timeoutMs: number): Promise<Response> {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(timeoutMs) } as RequestInit);
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_RESPONSE_BYTES) throw new Error(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`);
    }
    const { status, headers } = response;
    return new Response(sizeBytes === 0 ? null : Buffer.concat(chunks), { status, headers });
  } catch (error) {
    throw new ProviderError("unavailable", `${new URL(url).origin} does not respond: ${error instanceof Error ? error.message : error}`);
  }
}

/** Temporary errors of the provider, and errors that a person can cause. */
const PROVIDER_ERRORS: Readonly<Record<string, ProviderError["kind"]>> = {
  access_denied: "cancelled",
  server_error: "unavailable",
  temporarily_unavailable: "unavailable",
};

/** Codes of errors in the configuration of the provider, or of this server at the provider. */
const SET_UP_ERRORS: ReadonlySet<string> = new Set([
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_MISSING_SERVER_METADATA",
  "OAUTH_INVALID_SERVER_METADATA",
  "OAUTH_HTTP_REQUEST_FORBIDDEN",
]);

async function classifyErrors<T>(client: Client, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toProviderError(client, error);
  }
}

function toProviderError(client: Client, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const { cause } = error as { cause?: unknown };
  if (cause instanceof ProviderError) return cause;
  if (error instanceof client.AuthorizationResponseError)
    return new ProviderError(PROVIDER_ERRORS[error.error] ?? "invalid", `it refused with ${error.error}`);
  if (error instanceof client.ResponseBodyError)
    return new ProviderError(error.error === "invalid_grant" ? "invalid" : "unavailable", `it responded with ${error.error}`);
  // The provider does not accept this server's secret.
  if (error instanceof client.WWWAuthenticateChallengeError) return new ProviderError("unavailable", `it responded with ${error.status}`);
  const { code = "", message } = error as { code?: string; message: string };
  return new ProviderError(SET_UP_ERRORS.has(code) ? "unavailable" : "invalid", `${message}${code && ` (${code})`}`);
}
