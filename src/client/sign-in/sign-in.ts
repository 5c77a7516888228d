import type { Keyring } from "../../runtime/runtime.ts";
import type { Output } from "../../service/contract.ts";
import { ClientError } from "../client-error.ts";
import { withFileLock } from "../records/file-lock.ts";
import type { Environment } from "../records/private-files.ts";
import { discoverServer } from "../server/discover-server.ts";
import { createRemoteApi } from "../server/remote-api.ts";
import { isSameServer } from "../server/server-address.ts";
import { lockOf } from "./account-key.ts";
import { OAuthRefusal, revokeConnection } from "./oauth.ts";
import { openProfiles, type Profile } from "./profiles.ts";
import { openSecrets, type ProfileSecret, type SecretLocation } from "./secrets.ts";

export interface Device {
  readonly env: Environment;
  readonly keyring: Keyring | undefined;
}

export interface NewSignIn {
  readonly server: string;
  /** The profile's name. */
  readonly name: string;
  readonly secret: ProfileSecret;
  readonly location: SecretLocation;
}

export interface SavedSignIn {
  readonly name: string;
  readonly location: SecretLocation;
  readonly me: Output<"getMe">;
}

/** Finds the profile of a server, or a name for a new one. */
export async function nameProfile(env: Environment, server: string): Promise<string> {
  const profiles = await openProfiles(env).list();
  const found = profiles.find((profile) => isSameServer(profile.server, server))?.name;
  if (found !== undefined) return found;
  const { host, pathname } = new URL(server);
  const base =
    `${host}${pathname}`
      .toLowerCase()
      .replace(/[^a-z0-9.]+/g, "-")
      .replace(/^[^a-z0-9]+|-+$/g, "")
      .slice(0, 50) || "server";
  const names = new Set(profiles.map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!names.has(name)) return name;
  }
}

/**
 * Stores the secret of a server, as the default profile, after the server has accepted it. Ends the connection that the profile had before. Rejects
 * with the server's error.
 */
export async function saveSignIn(device: Device, signIn: NewSignIn): Promise<SavedSignIn> {
  return await storeSignIn(device, signIn).catch(async (error: unknown) => {
    // A connection whose tokens are not stored would stay in the person's list of applications, so it is revoked.
    if ("refreshToken" in signIn.secret) await revoke(signIn, signIn.secret).catch(() => undefined);
    throw error;
  });
}

async function storeSignIn({ env, keyring }: Device, { server, name, secret, location }: NewSignIn): Promise<SavedSignIn> {
  const key = "key" in secret ? secret.key : secret.accessToken;
  const api = createRemoteApi({ url: server, key: () => key, account: () => key });
  const me = await api.call("getMe", {});
  const { siteUrl } = await api.discoverServer();
  const profiles = openProfiles(env);
  const secrets = openSecrets(env, keyring);
  const { before, stored } = await withFileLock(lockOf(env, name), async () => {
    const before = await findProfileSecret({ env, keyring }, name);
    const stored = await secrets.save({ name, server }, secret, location);
    const signIn = "key" in secret ? "key" : "oauth";
    await profiles.save(name, { server, siteUrl, signIn, secret: stored, accountId: me.owner.id }, { isDefault: true });
    return { before, stored };
  });
  await signOutBefore(before);
  return { name, location: stored, me };
}

/** Throws CONFLICT if a profile belongs to another server than `server`, or has the only copy of a key. */
export async function checkReplaceable(env: Environment, name: string, server: string): Promise<void> {
  const profile = (await openProfiles(env).list()).find((other) => other.name === name);
  if (profile && !isSameServer(profile.server, server))
    throw new ClientError("CONFLICT", `The profile ${name} is of another server, ${profile.server}.`, {
      advice: [{ kind: "replaceProfile", profile: name, isForced: false }],
    });
  if (profile?.isAgent)
    throw new ClientError("CONFLICT", `The profile ${name} has the only key of an agent's account.`, {
      advice: [{ kind: "replaceProfile", profile: name, isForced: true }],
    });
}

/**
 * Ends the connection of a profile at the server, and removes the profile; with `isForced`, also if the server does not end the connection. A key
 * stays valid, because it may be used elsewhere. Rejects with UNAVAILABLE, or CONFLICT for an agent's key.
 */
export async function signOut(device: Device, name: string, { isForced }: { readonly isForced: boolean }): Promise<void> {
  const { env, keyring } = device;
  if (!isForced) await checkSignOut(env, name);
  await withFileLock(lockOf(env, name), async () => {
    const found = await findProfileSecret(device, name);
    if (!found) return;
    const { profile, secret } = found;
    if (secret && "refreshToken" in secret)
      await revoke(profile, secret).catch((error: unknown) => {
        if (!isForced && !(error instanceof OAuthRefusal)) throw error;
      });
    await openSecrets(env, keyring).remove(profile, profile.secret ?? "file");
    await openProfiles(env).remove(name);
  });
}

async function checkSignOut(env: Environment, name: string): Promise<void> {
  const profile = (await openProfiles(env).list()).find((other) => other.name === name);
  if (profile?.isAgent)
    throw new ClientError("CONFLICT", "This profile has the only key of an agent's account: without it, nobody can use that account.", {
      advice: [{ kind: "forceSignOut" }],
    });
}

/** Finds a profile and its secret, if the secret can be read. */
export async function findProfileSecret({ env, keyring }: Device, name: string) {
  const profile = (await openProfiles(env).list()).find((other) => other.name === name);
  if (!profile) return undefined;
  const secret = await openSecrets(env, keyring)
    .find(profile, profile.secret ?? "file")
    .catch(() => undefined);
  return { profile, secret };
}

/** Ends the connection that a profile had before a new sign-in, if the server responds. */
export async function signOutBefore(before: Awaited<ReturnType<typeof findProfileSecret>>): Promise<void> {
  if (before?.secret && "refreshToken" in before.secret) await revoke(before.profile, before.secret).catch(() => undefined);
}

async function revoke({ server }: Pick<Profile, "server">, secret: Extract<ProfileSecret, { refreshToken: string }>): Promise<void> {
  await revokeConnection(await discoverServer(server), secret);
}
