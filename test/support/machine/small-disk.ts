import { execFile } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Mounts a file system of `sizeBytes` in memory, in a new folder or at the folder `at`, and resolves to its folder. */
export async function mountDisk(sizeBytes: number, { at, options = "" }: { at?: string; options?: string } = {}): Promise<string> {
  const dir = at ?? (await mkdtemp(join(tmpdir(), "filehost-disk-")));
  const size = sizeBytes > 0 ? `size=${sizeBytes},mode=755` : "mode=755";
  await run("mount", ["-t", "tmpfs", "-o", `${size}${options}`, "tmpfs", dir]).catch(async (error) => {
    if (at === undefined) await rm(dir, { recursive: true });
    throw error;
  });
  return dir;
}

/** Fills a file system as another program does, to its last byte. Resolves to the path of the created file. */
export async function fillDisk(dir: string): Promise<string> {
  const path = join(dir, "other-program");
  const file = await open(path, "a");
  try {
    for (const size of [1024 ** 2, 4096, 1]) {
      const bytes = new Uint8Array(size);
      while ((await file.write(bytes).catch(() => ({ bytesWritten: 0 }))).bytesWritten > 0);
    }
  } finally {
    await file.close();
  }
  return path;
}

export async function unmountDisk(dir: string): Promise<void> {
  // The unmount is lazy, because files that were just closed may still count as open.
  await run("umount", ["--lazy", dir]);
  await rm(dir, { recursive: true });
}

/** Returns the reason why suites that mount a small disk are skipped; undefined if mounting works. */
export async function whyNoDisk(): Promise<string | undefined> {
  try {
    await unmountDisk(await mountDisk(1024 ** 2));
    return undefined;
  } catch (error) {
    return `a tmpfs cannot be mounted: ${error instanceof Error ? error.message.split("\n").at(-1) : error}`;
  }
}
