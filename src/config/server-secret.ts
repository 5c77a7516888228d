import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors.ts";

/** Reads the server's secret from the data folder, or creates it, readable only by its owner. Throws if the file has less than 32 characters. */
export async function loadSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, "secret");
  const created = randomBytes(32).toString("hex");
  try {
    await writeFile(path, `${created}\n`, { flag: "wx", mode: 0o600, flush: true });
    return created;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
  const existing = (await readFile(path, "utf8")).trim();
  if (existing.length >= 32) return existing;
  throw new Error(`${path} has no secret of at least 32 characters. Restore it from a backup; without it, existing links stop working.`);
}
