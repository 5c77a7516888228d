import { randomBytes } from "node:crypto";
import { access, constants, open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { unlessMissing } from "../blobs/disk/errors.ts";
import type { LoadedConfig } from "../config/load.ts";
import { systemCode } from "../errors.ts";
import { formatSize } from "../lib/text/format-size.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check-result.ts";
import { explainError } from "./error-messages.ts";

/** Duration of a flush that counts as slow: each upload waits for several flushes when it completes. */
const SLOW_SYNC_MS = 100;
const FEW_INODES = 10_000;
const AS_THE_SERVER = "Run this as the server's user. If it is that user, give it the folder: chown -R USER";

/** File systems that lose data or are not safe for a database, by the kernel's magic numbers. */
const UNSAFE_FILE_SYSTEMS: ReadonlyMap<number, readonly [problem: string, fix: string]> = new Map([
  [0x01021994, ["is in memory (tmpfs): its data is lost when this machine restarts", "Set FILEHOST_DATA to a folder on a disk."]],
  [
    0x794c7630,
    ["is inside the container's layers: its data is lost with the container", "Mount a volume there: docker run -v filehost:/data"],
  ],
  [
    0x6969,
    ["is on NFS, whose locks are not safe for a database", "Keep the database on a local disk: FILEHOST_DB_URL=file:/path/filehost.db"],
  ],
  [
    0xff534d42,
    [
      "is on a Windows share, whose locks are not safe for a database",
      "Keep the database on a local disk: FILEHOST_DB_URL=file:/path/filehost.db",
    ],
  ],
  [
    0xfe534d42,
    [
      "is on a Windows share, whose locks are not safe for a database",
      "Keep the database on a local disk: FILEHOST_DB_URL=file:/path/filehost.db",
    ],
  ],
]);

/** Checks that the data folder is writable and durable, and that it has enough free space. */
export const dataFolder: Check = {
  what: "data folder",
  timeoutMs: 30_000,
  async *run({ config }: LoadedConfig) {
    const folder = resolve(config.dataDir);
    if (!(await isFolder(folder))) {
      yield await checkMissingFolder(folder);
      return;
    }
    yield* checkOwner(folder);
    const written = await checkWritable(folder);
    yield written;
    yield* checkFileSystem(folder);
    yield await checkFreeSpace(folder, config.minFreeBytes, config.storage.kind);
    if (config.storage.kind === "disk" && written.status !== "fail") yield await checkRenames(folder);
  },
};

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

/** Checks, before the first start, that the folder can be created; does not create it. */
async function checkMissingFolder(folder: string): Promise<CheckResult> {
  try {
    if (await unlessMissing(stat(folder)))
      return fail("data folder", "dataFolder", `${folder} is not a folder`, "Remove that file, or set FILEHOST_DATA to another folder.");
    let parent = dirname(folder);
    while (!(await unlessMissing(stat(parent)))) parent = dirname(parent);
    await access(parent, constants.W_OK | constants.X_OK);
    return ok("data folder", `${folder} is created on first start; if a server ran before, set FILEHOST_DATA to its folder`);
  } catch (error) {
    return fail(
      "data folder",
      "dataFolder",
      `${folder} does not exist and cannot be created: ${explainError(error)}`,
      `As root: install -d -m 0700 -o USER ${folder}, where USER is the server's user.`,
    );
  }
}

/** Warns if this runs as root but the folder belongs to another user: root's permissions say little about that user's. */
async function* checkOwner(folder: string): AsyncGenerator<CheckResult> {
  const { uid } = await stat(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  yield warn(
    "user",
    "otherUser",
    `this runs as root, but ${folder} belongs to the user ${uid}, who has fewer rights`,
    `Run it as the server's user: sudo -u '#${uid}' filehost doctor`,
  );
}

async function checkWritable(folder: string): Promise<CheckResult> {
  const path = join(folder, testFileName());
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(randomBytes(4096));
      const startMs = performance.now();
      await file.sync();
      const syncMs = performance.now() - startMs;
      const detail = `${folder} is writable; a flush takes ${syncMs.toFixed(1)} ms`;
      if (syncMs <= SLOW_SYNC_MS) return ok("data folder", detail);
      return warn(
        "data folder",
        "dataFolderSlow",
        `${detail}, and each upload waits for several`,
        "Check what else writes to that disk (iostat -x 5), or use a faster disk.",
      );
    } finally {
      await file.close();
    }
  } catch (error) {
    return fail("data folder", "dataFolder", `${folder} is not writable: ${explainError(error)}`, `${AS_THE_SERVER} ${folder}`);
  } finally {
    await rm(path, { force: true });
  }
}

async function* checkFileSystem(folder: string): AsyncGenerator<CheckResult> {
  const [problem, fix] = UNSAFE_FILE_SYSTEMS.get((await statfs(folder)).type) ?? [];
  if (problem !== undefined && fix !== undefined) yield warn("data folder", "dataFolderUnsafe", `${folder} ${problem}`, fix);
}

async function checkFreeSpace(folder: string, minFreeBytes: number, storage: "disk" | "s3"): Promise<CheckResult> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const free = `${formatSize(freeBytes)} free`;
  const isForFiles = storage === "disk";
  const requiredBytes = isForFiles ? minFreeBytes : Math.min(minFreeBytes, 256 * 1024 * 1024);
  if (freeBytes < requiredBytes)
    return fail(
      "free space",
      "freeSpace",
      isForFiles
        ? `${free}, less than FILEHOST_MIN_FREE (${formatSize(minFreeBytes)}): uploads are rejected with 507`
        : `${free} for the database and its log`,
      "Free space (du -xh / | sort -h | tail shows what uses it), use a larger disk, or decrease FILEHOST_MIN_FREE.",
    );
  if (files > 0 && ffree < FEW_INODES)
    return warn(
      "free space",
      "inodes",
      `${free}, but only ${ffree} free inodes`,
      "Recreate the file system with more inodes, or use XFS (df -i shows the inodes).",
    );
  if (isForFiles && freeBytes < 2 * minFreeBytes)
    return warn(
      "free space",
      "freeSpace",
      `${free}; below ${formatSize(minFreeBytes)} (FILEHOST_MIN_FREE) uploads are rejected`,
      "Free space soon, or use a larger disk.",
    );
  return ok("free space", isForFiles ? `${free}; uploads leave ${formatSize(minFreeBytes)} of it` : free);
}

/** Checks that a file can be renamed from staging to blobs and quarantine, which requires one mounted file system. */
async function checkRenames(folder: string): Promise<CheckResult> {
  const areas = ["blobs", "quarantine"];
  const name = testFileName();
  if (!(await isFolder(join(folder, "staging")))) return ok("file store", `${folder}/blobs is created on first start`);
  const unusable = await findUnusable(folder);
  if (unusable)
    return fail("file store", "dataFolder", `${unusable.path} cannot be used: ${unusable.reason}`, `${AS_THE_SERVER} ${unusable.path}`);
  const paths = [join(folder, "staging", name), ...areas.map((area) => join(folder, area, name))];
  try {
    await (await open(paths[0] ?? "", "wx", 0o600)).close();
    for (const [index, area] of areas.entries()) {
      if (await isFolder(join(folder, area))) await rename(paths[index] ?? "", paths[index + 1] ?? "");
    }
    return ok("file store", "staging, blobs and quarantine are writable, on one file system");
  } catch (error) {
    const isOtherFileSystem = systemCode(error) === "EXDEV";
    return isOtherFileSystem
      ? fail(
          "file store",
          "fileStoreSplit",
          "staging, blobs and quarantine are on different file systems: uploads cannot be completed",
          `Mount one file system at ${folder}, not at folders in it.`,
        )
      : fail("file store", "dataFolder", `its folders are not writable: ${explainError(error)}`, `${AS_THE_SERVER} ${folder}`);
  } finally {
    for (const path of paths) await rm(path, { force: true });
  }
}

/** Finds a folder of stored files that this user cannot read or change, down to the first level of blobs. */
async function findUnusable(folder: string): Promise<{ readonly path: string; readonly reason: string } | undefined> {
  const check = async (path: string): Promise<void> => await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  for (const area of ["staging", "blobs", "quarantine"]) {
    let path = join(folder, area);
    try {
      if (!(await unlessMissing(stat(path)))) continue;
      await check(path);
      if (area === "staging") continue;
      for (const { name, parentPath } of (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isDirectory())) {
        path = join(parentPath, name);
        await check(path);
      }
    } catch (error) {
      return { path, reason: explainError(error) };
    }
  }
  return undefined;
}

/** Returns a name that no blob has. */
const testFileName = (): string => `.doctor-${randomBytes(8).toString("hex")}`;
