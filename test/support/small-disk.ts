import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Mounts a file system of `sizeBytes` in memory and resolves to its folder. */
export async function mountDisk(sizeBytes: number): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "filehost-disk-"));
  await run("mount", ["-t", "tmpfs", "-o", `size=${sizeBytes},mode=700`, "tmpfs", dir]).catch(async (error) => {
    await rm(dir, { recursive: true });
    throw error;
  });
  return dir;
}

export async function unmountDisk(dir: string): Promise<void> {
  // Lazy, because files that were just closed may still count as open.
  await run("umount", ["--lazy", dir]);
  await rm(dir, { recursive: true });
}

/** Why suites that mount a small disk are skipped; undefined if mounting works. */
export async function whyNoDisk(): Promise<string | undefined> {
  try {
    await unmountDisk(await mountDisk(1024 ** 2));
    return undefined;
  } catch (error) {
    return `a tmpfs cannot be mounted: ${error instanceof Error ? error.message.split("\n").at(-1) : error}`;
  }
}
