import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileNameOf, TARGET_NAMES } from "./targets.ts";

/** Writes SHA256SUMS of the executables in a folder, in the format of `sha256sum -c`. */
export async function writeChecksums(folder: string): Promise<void> {
  const names = TARGET_NAMES.flatMap((name) => [fileNameOf(name), fileNameOf(name, true)])
    .filter((name) => existsSync(join(folder, name)))
    .sort();
  const lines = await Promise.all(names.map(async (name) => `${await digestOf(join(folder, name))}  ${name}\n`));
  await writeFile(join(folder, "SHA256SUMS"), lines.join(""));
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
