import type { Output } from "../../service/contract.ts";
import { withFileLock } from "../records/file-lock.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { lockOf } from "./account-key.ts";
import { openProfiles } from "./profiles.ts";
import { openSecrets, type SecretLocation } from "./secrets.ts";
import { type Device, findProfileSecret, type NewSignIn, signOutBefore } from "./sign-in.ts";

/** The location where the key of a new agent is stored. */
export interface AgentLocation extends Pick<NewSignIn, "server" | "name" | "location"> {
  readonly api: Pick<RemoteApi, "discoverServer">;
}

/** A placeholder for a key that the server has not created yet. No server accepts it. */
const PLACEHOLDER = { key: "none" };

/**
 * Registers an agent and stores its only key, as the default profile. Writes placeholders before `work`, to find a full or read-only disk while there
 * is no account. Resolves to the location of the key; rejects with the file system's error, or the error of `work`.
 */
export async function saveAgent(
  device: Device,
  target: AgentLocation,
  work: () => Promise<Output<"registerAgent">>,
): Promise<SecretLocation> {
  const { siteUrl } = await target.api.discoverServer();
  const undo = await prepare(device, target);
  const registered = await work().catch(async (error: unknown) => {
    await undo();
    throw error;
  });
  return await store(device, { ...target, siteUrl, registered });
}

/** Writes the profile with its present secret, or with a placeholder. Resolves to a function that removes a written placeholder. */
async function prepare({ env, keyring }: Device, { server, name, location }: AgentLocation): Promise<() => Promise<void>> {
  const profiles = openProfiles(env);
  const secrets = openSecrets(env, keyring);
  const locked = <T>(work: () => Promise<T>): Promise<T> => withFileLock(lockOf(env, name), work);
  return await locked(async () => {
    const before = await findProfileSecret({ env, keyring }, name);
    if (before) {
      if (before.secret) await secrets.save(before.profile, before.secret, before.profile.secret ?? "file");
      await profiles.save(name, before.profile);
      return async () => undefined;
    }
    const undo = async (): Promise<void> => {
      await secrets.remove({ name, server }, location);
      await profiles.remove(name);
    };
    try {
      await secrets.save({ name, server }, PLACEHOLDER, location);
      await profiles.save(name, { server });
    } catch (error) {
      await undo().catch(() => undefined);
      throw error;
    }
    return () => locked(undo);
  });
}

interface NewAgent extends AgentLocation {
  readonly siteUrl: string;
  readonly registered: Output<"registerAgent">;
}

async function store({ env, keyring }: Device, { server, name, location, siteUrl, registered }: NewAgent): Promise<SecretLocation> {
  const { before, saved } = await withFileLock(lockOf(env, name), async () => {
    const before = await findProfileSecret({ env, keyring }, name);
    const saved = await openSecrets(env, keyring).save({ name, server }, { key: registered.key }, location);
    await openProfiles(env).save(
      name,
      { server, siteUrl, signIn: "key", secret: saved, accountId: registered.owner_id, isAgent: true },
      { isDefault: true },
    );
    return { before, saved };
  });
  await signOutBefore(before);
  return saved;
}
