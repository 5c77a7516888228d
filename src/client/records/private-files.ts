import type { Stats } from "node:fs";
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { AppError, systemCode } from "../../errors.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { newRandomId } from "../../transfer/retry.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the folder of a user's settings, by the conventions of the operating system. */
export function configFolder(env: Environment): string {
  const config = env.XDG_CONFIG_HOME || (process.platform === "win32" && env.APPDATA) || join(homeFolder(env), ".config");
  return join(config, "filehost");
}

/** Returns the folder of the state of programs, by the conventions of the operating system. */
export function stateFolder(env: Environment): string {
  const state = env.XDG_STATE_HOME || (process.platform === "win32" && env.LOCALAPPDATA) || join(homeFolder(env), ".local", "state");
  return join(state, "filehost");
}

const homeFolder = (env: Environment): string => (process.platform === "win32" ? undefined : env.HOME) || homedir();

/** Reads a file that only its user can read; undefined if there is none. Throws FORBIDDEN if the file cannot be read, or is open to others. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, "r");
    checkPrivate(path, await file.stat());
    return await file.readFile("utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (error instanceof AppError) throw error;
    throw new AppError("FORBIDDEN", `${path} cannot be read (${systemCode(error) ?? "unknown"}). Check its permissions.`, { cause: error });
  }
}

/** Checks the permissions of a file. Others who can change it could make this program send keys to their server. */
function checkPrivate(path: string, { mode, uid }: Stats): void {
  const user = process.getuid?.();
  // Windows has other permissions, so they are not checked.
  if (user === undefined) return;
  if (user !== 0 && uid !== user && uid !== 0)
    throw new AppError("FORBIDDEN", `${path} belongs to another user, so it is not used. Remove it, or change its owner.`);
  if ((mode & 0o077) !== 0)
    throw new AppError("FORBIDDEN", `${path} is open to other users of this machine, so it is not used. Run: chmod 600 ${path}`);
}

/** Replaces a file atomically. Only its user can read the file and open its folder. Rejects with the file system's error. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await makePrivateFolder(dirname(path));
  const temporary = `${path}.${newRandomId()}`;
  try {
    await using file = await open(temporary, "wx", 0o600);
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await rename(temporary, path);
}

/** Makes a folder that only its user can open, and closes an existing one to others. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (process.platform !== "win32") await chmod(path, 0o700);
}

/**
 * The age at which a server has removed an unfinished upload or import, so that its record is useless (uploads, "Ends of a session"; limits,
 * "Times").
 */
export const UNFINISHED_MAX_AGE_MS = 8 * DAY_MS;

/** Removes the files of a folder that were last written more than `maxAgeMs` ago. */
export async function removeOldFiles(folder: string, maxAgeMs: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    // Another process may remove the file meanwhile.
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - maxAgeMs) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Reads the files of a folder whose names end with `suffix`. Files that cannot be read are left out; a missing folder has no files. */
export async function readFolder(folder: string, suffix: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder).catch(() => []);
  const found = new Map<string, string>();
  for (const name of names.filter((name) => name.endsWith(suffix)).sort()) {
    const text = await readFile(join(folder, name), "utf8").catch(() => undefined);
    if (text !== undefined) found.set(name, text);
  }
  return found;
}
