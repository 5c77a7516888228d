import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import { parseJson } from "../../lib/text/parse-json.ts";
import type { Keyring } from "../../runtime/runtime.ts";
import { ClientError } from "../client-error.ts";
import { configFolder, type Environment, readPrivateFile, writePrivateFile } from "../records/private-files.ts";
import type { Profile } from "./profiles.ts";

const keySecret = z.object({ key: z.string() });
const oauthSecret = z.object({
  clientId: z.string(),
  accessToken: z.string(),
  refreshToken: z.string(),
  expiresAtMs: z.number(),
  scope: z.string(),
});
/** Tokens of a connection, which replace each other (oauth, "Tokens"). */
export type OAuthSecret = z.infer<typeof oauthSecret>;

/** The secret that signs in to a profile's server. */
const secret = z.union([keySecret, oauthSecret]);
export type ProfileSecret = z.infer<typeof secret>;

/** The location of a secret. */
export type SecretLocation = NonNullable<Profile["secret"]>;

type Owner = Pick<Profile, "name" | "server">;

/** The secrets of profiles. */
export interface Secrets {
  /** Finds a secret. Throws UNAVAILABLE if the keyring does not respond, FORBIDDEN if a file is open to others. */
  find(owner: Owner, location: SecretLocation): Promise<ProfileSecret | undefined>;
  /** Saves a secret, and resolves to its location: a file if there is no keyring, or it does not respond. Rejects with the file system's error. */
  save(owner: Owner, secret: ProfileSecret, location: SecretLocation): Promise<SecretLocation>;
  remove(owner: Owner, location: SecretLocation): Promise<void>;
}

/** The longest wait for the keyring. A locked one asks its user, who may be absent. */
const KEYRING_TIMEOUT_MS = 10_000;

/**
 * Keyrings that did not respond, and are not asked again. Each pending call occupies one of the threads that also read and write files, of which
 * there may be only two.
 */
const silent = new WeakSet<Keyring>();

/** Opens the secrets in the keyring of the system, if it has one, and in files that only the user can read (client, "Secrets"). */
export function openSecrets(env: Environment, keyring: Keyring | undefined, timeoutMs = KEYRING_TIMEOUT_MS): Secrets {
  const pathOf = ({ name }: Owner): string => join(credentialsFolder(env), `${name}.json`);
  const nameOf = ({ name, server }: Owner): string => `${name} ${server}`;

  /** Calls the keyring. Rejects if it fails, or does not respond. */
  async function use<T>(work: (keyring: Keyring) => Promise<T>): Promise<T> {
    if (!keyring || silent.has(keyring)) throw new Error("There is no keyring that responds.");
    return await withTimeout(work(keyring), timeoutMs, () => {
      silent.add(keyring);
      throw new Error("The keyring does not respond.");
    });
  }

  return {
    async find(owner, location) {
      if (location === "file") return secret.safeParse(parseJson((await readPrivateFile(pathOf(owner))) ?? "null")).data;
      const found = await use((keyring) => keyring.find(nameOf(owner))).catch((cause: unknown) => {
        throw new ClientError("UNAVAILABLE", `The keyring that has the secret of the profile ${owner.name} does not respond.`, {
          cause,
          advice: [{ kind: "unlockKeyring" }],
        });
      });
      return secret.safeParse(parseJson(found ?? "null")).data;
    },
    async save(owner, saved, location) {
      const text = JSON.stringify(saved);
      const isKept = async (keyring: Keyring): Promise<boolean> => {
        await keyring.save(nameOf(owner), text);
        return (await keyring.find(nameOf(owner))) === text;
      };
      if (location === "keyring" && (await use(isKept).catch(() => false))) {
        await rm(pathOf(owner), { force: true });
        return "keyring";
      }
      await writePrivateFile(pathOf(owner), text);
      return "file";
    },
    async remove(owner, location) {
      await rm(pathOf(owner), { force: true });
      if (location === "keyring") await use((keyring) => keyring.remove(nameOf(owner))).catch(() => undefined);
    },
  };
}

/** Returns the folder of the files with secrets, and of their locks. */
export const credentialsFolder = (env: Environment): string => join(configFolder(env), "credentials");
