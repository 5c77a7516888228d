import { randomBytes } from "node:crypto";
import { lstat, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InstallationError, systemCode, toInstallationError } from "../errors.ts";

const RESTORE = "Restore it from a backup; without it, existing links stop working.";

/**
 * Reads the server's secret from the data folder, or creates it, readable only by its owner. Throws InstallationError if the file is not one
 * with a text of at least 32 characters, or if there is none and `isUsed` says that the database has what was made with one.
 */
export async function loadSecret(dataDir: string, isUsed: () => Promise<boolean>): Promise<string> {
  const path = join(dataDir, "secret");
  if (!(await exists(path)) && (await isUsed()))
    throw new InstallationError(
      `The secret ${path} is missing, and the database has what was made with it. ${RESTORE} To go on without it, write a new one: openssl rand -hex 32 > ${path}`,
    );
  const created = randomBytes(32).toString("hex");
  try {
    await writeFile(path, `${created}\n`, { flag: "wx", mode: 0o600, flush: true });
    return created;
  } catch (error) {
    // A full disk leaves an empty file, which a later start would refuse.
    if (systemCode(error) === "ENOSPC") await rm(path, { force: true });
    if (systemCode(error) !== "EEXIST") throw toInstallationError(`The secret ${path}`, error);
  }
  const problem = await findSecretProblem(path).catch((error: unknown) => {
    throw toInstallationError(`The secret ${path}`, error);
  });
  if (problem !== undefined) throw new InstallationError(`${path} ${problem}. ${RESTORE}`);
  return (await readFile(path, "utf8")).trim();
}

const exists = async (path: string): Promise<boolean> =>
  await lstat(path).then(
    () => true,
    (error: unknown) => systemCode(error) !== "ENOENT",
  );

/** What is wrong with the secret's file, after its name; undefined if nothing is. Throws the errors of the operating system. */
export async function findSecretProblem(path: string): Promise<string | undefined> {
  if (!(await stat(path)).isFile()) return "is not a file";
  const text = (await readFile(path)).toString("utf8").trim();
  if (text.length < 32) return "has no secret of at least 32 characters";
  if (/[\p{Cc}\uFFFD]/u.test(text)) return "is damaged: it has bytes that are no text";
  return undefined;
}
