import { join } from "node:path";
import type { AppError } from "../../errors.ts";
import { ClientError } from "../client-error.ts";
import { withFileLock } from "../records/file-lock.ts";
import type { Environment } from "../records/private-files.ts";
import { discoverServer } from "../server/discover-server.ts";
import { OAuthRefusal, requestTokens, toSignInError } from "./oauth.ts";
import { openProfiles, type Profile } from "./profiles.ts";
import { credentialsFolder, type OAuthSecret, type ProfileSecret, type Secrets } from "./secrets.ts";

/** The key of requests, which can change between two of them. */
export interface AccountKey {
  /** Returns the current key. Rejects with UNAUTHENTICATED if the connection has ended, or UNAVAILABLE. */
  current(): Promise<string>;
  /** Gets a new key after the server refused one; undefined if there is no other. Rejects like `current`. */
  renew(refused: string): Promise<string | undefined>;
}

interface Connection {
  readonly profile: Profile;
  readonly secret: ProfileSecret;
  readonly secrets: Secrets;
  readonly env: Environment;
}

/** The time before its expiry at which a token is replaced, so that it does not expire while a request waits. */
const MARGIN_MS = 60_000;

/** Opens the key of a profile. One process refreshes the tokens for all processes of the user. */
export function openAccountKey(connection: Connection): AccountKey {
  const { secret } = connection;
  if ("key" in secret) return { current: async () => secret.key, renew: async () => undefined };
  let known: OAuthSecret = secret;
  let refreshing: Promise<OAuthSecret> | undefined;
  const refresh = async (): Promise<string> => {
    refreshing ??= refreshTokens(connection, known).finally(() => {
      refreshing = undefined;
    });
    known = await refreshing;
    return known.accessToken;
  };
  return {
    current: async () => (isFresh(known) ? known.accessToken : await refresh()),
    async renew(refused) {
      if (known.accessToken !== refused) return known.accessToken;
      return await refresh();
    },
  };
}

const isFresh = ({ expiresAtMs }: OAuthSecret): boolean => expiresAtMs - MARGIN_MS > Date.now();

/**
 * Refreshes the tokens. A refresh token that is used twice ends the connection, so one process after another refreshes with the stored token, and
 * stores the response before it is used.
 */
function refreshTokens(connection: Connection, known: OAuthSecret): Promise<OAuthSecret> {
  const { profile, secrets, env } = connection;
  return withFileLock(lockOf(env, profile.name), async () => {
    const { location, stored } = await findStored(connection);
    if (stored.accessToken !== known.accessToken && isFresh(stored)) return stored;
    // The secret is saved first, to find a full or read-only disk before the refresh token is used.
    await secrets.save(profile, stored, location);
    const server = await discoverServer(profile.server);
    const fields = { grant_type: "refresh_token", refresh_token: stored.refreshToken, client_id: stored.clientId };
    const tokens = await requestTokens(server, fields).catch((error: unknown) => {
      throw error instanceof OAuthRefusal ? ended(profile, toSignInError(error)) : error;
    });
    const refreshed = { ...tokens, scope: tokens.scope || stored.scope };
    const saved = await secrets.save(profile, refreshed, location);
    if (saved !== location) await openProfiles(env).save(profile.name, { ...profile, secret: saved });
    return refreshed;
  });
}

/** Reads the stored secret again. The profile may have been signed in again, or signed out, since the command began. */
async function findStored({ profile, secrets, env }: Connection) {
  const found = (await openProfiles(env).list()).find(({ name, server }) => name === profile.name && server === profile.server);
  const location = found?.secret ?? "file";
  const stored = found && (await secrets.find(found, location));
  if (stored === undefined || "key" in stored) throw ended(profile);
  return { location, stored };
}

const ended = ({ name, server }: Profile, cause?: unknown): AppError =>
  new ClientError("UNAUTHENTICATED", `You are signed out of ${server}.`, { cause, advice: [{ kind: "signIn", server, profile: name }] });

/** Returns the path of the lock for all changes of a profile's secret. */
export const lockOf = (env: Environment, profile: string): string => join(credentialsFolder(env), `${profile}.lock`);
