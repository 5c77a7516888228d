import type { Output } from "../../service/contract.ts";
import { withFileLock } from "../records/file-lock.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { lockOf } from "./account-key.ts";
import { openProfiles } from "./profiles.ts";
import { openSecrets, type SecretPlace } from "./secrets.ts";
import { type Device, findProfileSecret, type NewSignIn, signOutBefore } from "./sign-in.ts";

/** The place where the key of a new agent is stored. */
export interface AgentPlace extends Pick<NewSignIn, "server" | "name" | "place"> {
  readonly api: Pick<RemoteApi, "discoverServer">;
}

/** A placeholder for a key that the server has not created yet. No server accepts it. */
const PLACEHOLDER = { key: "none" };

/**
 * Registers an agent and stores its only key, as the default profile. Writes placeholders before `work`, to find a full or read-only disk while there
 * is no account. Resolves to the place of the key; rejects with the file system's error, or the error of `work`.
 */
export async function saveAgent(device: Device, place: AgentPlace, work: () => Promise<Output<"registerAgent">>): Promise<SecretPlace> {
  const { siteUrl } = await place.api.discoverServer();
  const undo = await prepare(device, place);
  const registered = await work().catch(async (error: unknown) => {
    await undo();
    throw error;
  });
  return await store(device, { ...place, siteUrl, registered });
}

/** Writes the profile with its present secret, or with a placeholder. Resolves to a function that removes a written placeholder. */
async function prepare({ env, keyring }: Device, { server, name, place }: AgentPlace): Promise<() => Promise<void>> {
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
      await secrets.remove({ name, server }, place);
      await profiles.remove(name);
    };
    try {
      await secrets.save({ name, server }, PLACEHOLDER, place);
      await profiles.save(name, { server });
    } catch (error) {
      await undo().catch(() => undefined);
      throw error;
    }
    return () => locked(undo);
  });
}

interface NewAgent extends AgentPlace {
  readonly siteUrl: string;
  readonly registered: Output<"registerAgent">;
}

async function store({ env, keyring }: Device, { server, name, place, siteUrl, registered }: NewAgent): Promise<SecretPlace> {
  const { before, placed } = await withFileLock(lockOf(env, name), async () => {
    const before = await findProfileSecret({ env, keyring }, name);
    const placed = await openSecrets(env, keyring).save({ name, server }, { key: registered.key }, place);
    await openProfiles(env).save(
      name,
      { server, siteUrl, signIn: "key", secret: placed, accountId: registered.owner_id, isAgent: true },
      { isDefault: true },
    );
    return { before, placed };
  });
  await signOutBefore(before);
  return placed;
}
