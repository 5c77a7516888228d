import { randomBytes } from "node:crypto";
import { access, constants, open, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { formatSize } from "../../web/format.ts";
import { unlessMissing } from "../blobs/disk-errors.ts";
import { type Check, type Finding, fail, ok, type Subject, warn } from "./finding.ts";
import { reasonOf } from "./reasons.ts";

/** What an upload waits for at its end, at the least. */
const SLOW_SYNC_MS = 100;
const FEW_INODES = 10_000;
const AS_THE_SERVER = "Run this as the user that the server runs as; where it is that one, give it the folder: chown -R USER";

/** File systems that do not keep what they are given, or do not keep it as a database needs it: the kernel's numbers for them. */
const ODD_FILE_SYSTEMS: ReadonlyMap<number, readonly [found: string, mend: string]> = new Map([
  [0x01021994, ["is in memory (tmpfs): all of it goes with a restart of this machine", "Set FILEHOST_DATA to a folder on a disk."]],
  [
    0x794c7630,
    ["is inside a container's own layers: all of it goes with the container", "Mount a volume there: docker run -v filehost:/data"],
  ],
  [
    0x6969,
    ["is on NFS, whose locks a database cannot rely on", "Keep the database on a local disk: FILEHOST_DB_URL=file:/path/filehost.db"],
  ],
  [
    0xff534d42,
    [
      "is on a Windows share, whose locks a database cannot rely on",
      "Keep the database on a local disk: FILEHOST_DB_URL=file:/path/filehost.db",
    ],
  ],
  [
    0xfe534d42,
    [
      "is on a Windows share, whose locks a database cannot rely on",
      "Keep the database on a local disk: FILEHOST_DB_URL=file:/path/filehost.db",
    ],
  ],
]);

/** Whether the data folder takes bytes and keeps them, and how much room it has. */
export const dataFolder: Check = {
  what: "data folder",
  limitMs: 30_000,
  async *look({ config }: Subject) {
    const folder = resolve(config.dataDir);
    if (!(await isFolder(folder))) {
      yield await lookAtMissing(folder);
      return;
    }
    yield* lookAtOwner(folder);
    const writing = await tryToWrite(folder);
    yield writing;
    yield* lookAtKind(folder);
    yield await lookAtRoom(folder, config.minFreeBytes, config.storage.kind);
    if (config.storage.kind === "disk" && writing.status !== "fail") yield await tryToMove(folder);
  },
};

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

/** Before the first start: nothing is made by looking. */
async function lookAtMissing(folder: string): Promise<Finding> {
  try {
    if (await unlessMissing(stat(folder)))
      return fail("data folder", `${folder} is not a folder`, "Remove what is in its place, or set FILEHOST_DATA to another folder.");
    let parent = dirname(folder);
    while (!(await unlessMissing(stat(parent)))) parent = dirname(parent);
    await access(parent, constants.W_OK | constants.X_OK);
    return ok("data folder", `${folder} is made at the first start; a server that ran before has another, see FILEHOST_DATA`);
  } catch (error) {
    return fail(
      "data folder",
      `${folder} is not there and cannot be made: ${reasonOf(error)}`,
      `As root: install -d -m 0700 -o USER ${folder}, with the user that the server runs as.`,
    );
  }
}

/** Root may do everything, so that its look says little of what another user may. */
async function* lookAtOwner(folder: string): AsyncGenerator<Finding> {
  const { uid } = await stat(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  yield warn(
    "user",
    `this runs as root, but ${folder} is of the user ${uid}, who may less`,
    `Run it as the server does: sudo -u '#${uid}' filehost doctor`,
  );
}

async function tryToWrite(folder: string): Promise<Finding> {
  const path = join(folder, tryName());
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(randomBytes(4096));
      const beginMs = performance.now();
      await file.sync();
      const syncMs = performance.now() - beginMs;
      const detail = `${folder} can be written, and flushed in ${syncMs.toFixed(1)} ms`;
      if (syncMs <= SLOW_SYNC_MS) return ok("data folder", detail);
      return warn(
        "data folder",
        `${detail}: each upload waits for that a few times`,
        "See what else writes to that disk (iostat -x 5), or use a faster one.",
      );
    } finally {
      await file.close();
    }
  } catch (error) {
    return fail("data folder", `${folder} cannot be written: ${reasonOf(error)}`, `${AS_THE_SERVER} ${folder}`);
  } finally {
    await rm(path, { force: true });
  }
}

async function* lookAtKind(folder: string): AsyncGenerator<Finding> {
  const odd = ODD_FILE_SYSTEMS.get((await statfs(folder)).type);
  if (odd) yield warn("data folder", `${folder} ${odd[0]}`, odd[1]);
}

async function lookAtRoom(folder: string, minFreeBytes: number, storage: "disk" | "s3"): Promise<Finding> {
  const { bavail, bsize, files, ffree } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const found = `${formatSize(freeBytes)} free`;
  const isForFiles = storage === "disk";
  const least = isForFiles ? minFreeBytes : Math.min(minFreeBytes, 256 * 1024 * 1024);
  if (freeBytes < least)
    return fail(
      "free space",
      isForFiles
        ? `${found}, less than FILEHOST_MIN_FREE (${formatSize(minFreeBytes)}): uploads are refused with 507`
        : `${found} for the database and its log`,
      "Make room (du -xh / | sort -h | tail shows where it went), or use a larger disk, or lower FILEHOST_MIN_FREE.",
    );
  if (files > 0 && ffree < FEW_INODES)
    return warn(
      "free space",
      `${found}, but room for ${ffree} more files alone`,
      "Make the file system anew with more inodes, or use XFS: df -i shows them.",
    );
  if (isForFiles && freeBytes < 2 * minFreeBytes)
    return warn(
      "free space",
      `${found}; from ${formatSize(minFreeBytes)} on (FILEHOST_MIN_FREE) uploads are refused`,
      "Make room soon, or use a larger disk.",
    );
  return ok("free space", isForFiles ? `${found}; uploads leave ${formatSize(minFreeBytes)} of it` : found);
}

/** Uploads become files by a rename, which works within one mounted file system alone. */
async function tryToMove(folder: string): Promise<Finding> {
  const areas = ["blobs", "quarantine"];
  const name = tryName();
  if (!(await isFolder(join(folder, "staging")))) return ok("file store", `${folder}/blobs is made at the first start`);
  const paths = [join(folder, "staging", name), ...areas.map((area) => join(folder, area, name))];
  try {
    await (await open(paths[0] ?? "", "wx", 0o600)).close();
    for (const [index, area] of areas.entries()) {
      if (await isFolder(join(folder, area))) await rename(paths[index] ?? "", paths[index + 1] ?? "");
    }
    return ok("file store", "staging, blobs and quarantine are writable, on one file system");
  } catch (error) {
    const isApart = error instanceof Error && "code" in error && error.code === "EXDEV";
    return isApart
      ? fail(
          "file store",
          "staging, blobs and quarantine are on different file systems: no upload can be finished",
          `Mount one file system at ${folder}, not at folders in it.`,
        )
      : fail("file store", `its folders cannot be written: ${reasonOf(error)}`, `${AS_THE_SERVER} ${folder}`);
  } finally {
    for (const path of paths) await rm(path, { force: true });
  }
}

/** Not the name of a blob, so that nobody takes it for one. */
const tryName = (): string => `.doctor-${randomBytes(8).toString("hex")}`;
