import { randomBytes } from "node:crypto";
import { lstat, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InstallationError, systemCode, toInstallationError } from "../errors.ts";

const RESTORE = "Restore it from a backup; without it, existing links stop working.";
/** How to continue with a new secret (configuration, "The server's secret"). */
const ADOPT_SECRET = "To continue without the former secret: filehost secrets adopt, then restart all servers.";

/**
 * Reads the server's secret from the data folder, or creates it, readable only by its owner. Throws InstallationError if the file does not contain a
 * text of at least 32 characters, or if it is missing and `isUsed` reports that the database depends on a secret.
 */
export async function loadSecret(dataDir: string, isUsed: () => Promise<boolean>): Promise<string> {
  const path = join(dataDir, "secret");
  if (!(await exists(path)) && (await isUsed()))
    throw new InstallationError(`The secret ${path} is missing, and this database was used with it. ${RESTORE} ${ADOPT_SECRET}`);
  const created = randomBytes(32).toString("hex");
  try {
    await writeFile(path, `${created}\n`, { flag: "wx", mode: 0o600, flush: true });
    return created;
  } catch (error) {
    // Removes the empty file that a full disk leaves, because a later start would refuse it.
    if (systemCode(error) === "ENOSPC") await rm(path, { force: true });
    if (systemCode(error) !== "EEXIST") throw toInstallationError(`The secret ${path}`, error);
  }
  const problem = await findSecretProblem(path).catch((error: unknown) => {
    throw toInstallationError(`The secret ${path}`, error);
  });
  if (problem !== undefined) throw new InstallationError(`${path} ${problem}. ${RESTORE}`);
  return (await readFile(path, "utf8")).trim();
}

/** Describes the problem of a secret with which the database was not used, and how to continue. */
export const describeReplacedSecret = (dataDir: string, isGiven: boolean): { readonly problem: string; readonly fix: string } => ({
  problem: `${isGiven ? "FILEHOST_SECRET" : join(dataDir, "secret")} is not the secret with which this database was used`,
  fix: `${isGiven ? "Set it to the former value, which is the same on all servers" : `Restore that file from a backup, or set FILEHOST_SECRET to the former value`}. ${ADOPT_SECRET}`,
});

const exists = async (path: string): Promise<boolean> =>
  await lstat(path).then(
    () => true,
    (error: unknown) => systemCode(error) !== "ENOENT",
  );

/**
 * Returns the problem of the secret's file, as the end of a sentence that begins with its name; undefined if there is none. Throws the errors of the
 * operating system.
 */
export async function findSecretProblem(path: string): Promise<string | undefined> {
  if (!(await stat(path)).isFile()) return "is not a file";
  const text = (await readFile(path)).toString("utf8").trim();
  if (text.length < 32) return "has no secret of at least 32 characters";
  if (/[\p{Cc}\uFFFD]/u.test(text)) return "is damaged: it contains bytes that are not text";
  return undefined;
}
