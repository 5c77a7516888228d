import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { configFolder, type Environment, readPrivateFile, writePrivateFile } from "./private-files.ts";

/** What signs in to a profile's server. */
const secret = z.object({ key: z.string() });
export type Secret = z.infer<typeof secret>;

/** The secrets of profiles, by their names. */
export interface Secrets {
  find(name: string): Promise<Secret | undefined>;
  save(name: string, secret: Secret): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Opens the secrets that are in files, which only the user can read. */
export function openSecretFiles(env: Environment): Secrets {
  const pathOf = (name: string): string => join(configFolder(env), "credentials", `${name}.json`);
  return {
    async find(name) {
      return parse((await readPrivateFile(pathOf(name))) ?? "null");
    },
    save: (name, saved) => writePrivateFile(pathOf(name), JSON.stringify(saved)),
    remove: (name) => rm(pathOf(name), { force: true }),
  };
}

function parse(text: string): Secret | undefined {
  try {
    return secret.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
