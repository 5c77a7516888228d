import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The server's secret in the data folder, made on first start and readable by its owner alone. */
export async function loadSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, "secret");
  const made = randomBytes(32).toString("hex");
  try {
    await writeFile(path, `${made}\n`, { flag: "wx", mode: 0o600, flush: true });
    return made;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const kept = (await readFile(path, "utf8")).trim();
  if (kept.length >= 32) return kept;
  throw new Error(
    `${path} does not hold a secret of at least 32 characters. Restore it from a backup; without it, links that were handed out stop working.`,
  );
}
