import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../../errors.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { ClientError } from "../client-error.ts";
import { withFileLock } from "../records/file-lock.ts";
import { configFolder, type Environment, readPrivateFile, writePrivateFile } from "../records/private-files.ts";

/** A server and the way to sign in there. The secret is stored elsewhere. */
const profile = z.object({
  /** The address by which this machine reaches the server. */
  server: z.string(),
  /** The address of the site in the links of the server. */
  siteUrl: z.string().optional(),
  /** The kind of credential; undefined without an account. */
  signIn: z.enum(["key", "oauth"]).optional(),
  /** The location of the secret. */
  secret: z.enum(["file", "keyring"]).optional(),
  /** ID of the account. */
  accountId: z.string().optional(),
  /** Whether the key belongs to an agent. It exists nowhere else. */
  isAgent: z.boolean().optional(),
});
export type StoredProfile = z.infer<typeof profile>;

const stored = z.object({ default: z.string().optional(), profiles: z.record(z.string(), profile) });
type Stored = z.infer<typeof stored>;

export interface Profile extends StoredProfile {
  readonly name: string;
  /** Whether commands that name no profile use this one. */
  readonly isDefault: boolean;
}

/** The profiles of this user, in `config.json`. Several processes may use them at the same time. */
export interface Profiles {
  readonly path: string;
  list(): Promise<readonly Profile[]>;
  /** Adds or replaces a profile. The first one becomes the default. */
  save(name: string, profile: StoredProfile, options?: { readonly isDefault?: boolean }): Promise<void>;
  /** Changes the default profile. Rejects with NOT_FOUND. */
  setDefault(name: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The form of a profile's name. It becomes part of file names, also where `a` and `A` are one name. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** Checks the form of a profile's name; throws VALIDATION_FAILED. */
export function checkProfileName(name: string): string {
  if (NAME.test(name)) return name;
  throw new AppError("VALIDATION_FAILED", `"${name}" cannot be the name of a profile. Use lower-case letters, digits, dots, - and _.`);
}

/** Throws NOT_FOUND, with the existing names, if a profile does not exist. */
export function checkExists(names: readonly string[], name: string): void {
  if (names.includes(name)) return;
  const missing = `There is no profile "${toSingleLine(name)}".`;
  if (names.length === 0) throw new ClientError("NOT_FOUND", missing, { advice: [{ kind: "createProfile" }] });
  throw new AppError("NOT_FOUND", `${missing} There are: ${names.join(", ")}.`);
}

/** Opens the profiles. Their methods throw FORBIDDEN if the file is open to other users, VALIDATION_FAILED if it is damaged. */
export function openProfiles(env: Environment): Profiles {
  const path = join(configFolder(env), "config.json");
  const read = async (): Promise<Stored> => parse(path, (await readPrivateFile(path)) ?? '{"profiles":{}}');
  const change = (work: (before: Stored) => Stored): Promise<void> =>
    withFileLock(join(configFolder(env), "lock"), async () => {
      await writePrivateFile(path, `${JSON.stringify(work(await read()), null, 2)}\n`);
    });
  return {
    path,
    async list() {
      const { default: chosen, profiles } = await read();
      return Object.entries(profiles).map(([name, found]) => ({ ...found, name, isDefault: name === chosen }));
    },
    save: (name, added, { isDefault = false } = {}) =>
      change((before) => ({
        default: isDefault ? name : (before.default ?? name),
        profiles: { ...before.profiles, [checkProfileName(name)]: profile.parse(added) },
      })),
    setDefault: (name) =>
      change((before) => {
        checkExists(Object.keys(before.profiles), name);
        return { ...before, default: name };
      }),
    remove: (name) =>
      change((before) => {
        const { [name]: _, ...profiles } = before.profiles;
        return { profiles, ...(before.default !== name && { default: before.default }) };
      }),
  };
}

function parse(path: string, text: string): Stored {
  try {
    return stored.parse(JSON.parse(text));
  } catch (error) {
    throw new AppError("VALIDATION_FAILED", `${path} has no profiles that this version knows. Correct or remove it.`, { cause: error });
  }
}
