import { constants, type Stats } from "node:fs";
import { access, type FileHandle, lstat, open, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type LocalFile, toLocalFile } from "../../client/upload-file/local-file.ts";
import { AppError, invalidField, systemCode } from "../../errors.ts";
import { type Bounds, checkNamed, checkReal } from "./allowed-folders.ts";

const SLASH_AT_END = process.platform === "win32" ? /[/\\]$/ : /\/$/;

/**
 * Opens a file that a client named for reading (mcp, "Files of your machine"). Symbolic links are resolved before the check, and the opened file is
 * checked again, so that a link which appears meanwhile does not lead out of the allowed folders. Throws VALIDATION_FAILED, FORBIDDEN, or NOT_FOUND.
 */
export async function openFileWithin(path: string, bounds: Bounds): Promise<LocalFile> {
  const name = basename(checkNamed(path, bounds));
  if (SLASH_AT_END.test(path)) throw invalidField("path", "Send the path of a file, without a slash at its end.");
  const { handle, real } = await openWithin(path, bounds, { flags: constants.O_RDONLY | constants.O_NONBLOCK, check: checkFile });
  return await toLocalFile(handle, { path: real, name });
}

/** An open folder in which a file is saved. */
export interface OpenFolder extends AsyncDisposable {
  /** The path without symbolic links. */
  readonly real: string;
  /** A path that leads to this folder even if another one gets its name meanwhile, if the operating system has such paths. */
  readonly path: string;
  /** The name of the file, if the client named one. */
  readonly name: string | undefined;
}

/**
 * Opens the place where a client wants to save a file: a folder, or a new name in one. Throws VALIDATION_FAILED, FORBIDDEN, or NOT_FOUND if the
 * folder does not exist.
 */
export async function openFolderWithin(path: string, bounds: Bounds): Promise<OpenFolder> {
  const named = checkNamed(path, bounds);
  const isFolder = await stat(named).then(
    (found) => found.isDirectory(),
    () => false,
  );
  // A trailing slash marks a folder.
  const name = isFolder || SLASH_AT_END.test(path) ? undefined : basename(named);
  const flags = constants.O_RDONLY | constants.O_DIRECTORY;
  const { handle, real } = await openWithin(name === undefined ? named : dirname(named), bounds, { flags, check: checkFolder });
  try {
    if (name !== undefined) checkReal(join(real, name), bounds);
    const known = `/proc/self/fd/${handle.fd}`;
    const isKnown = process.platform === "linux" && (await succeeds(access(known)));
    return { real, path: isKnown ? known : real, name, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Whether a name in a folder is taken, also by a symbolic link. Throws VALIDATION_FAILED for a name that no file can have. */
export async function existsIn({ path }: OpenFolder, name: string): Promise<boolean> {
  try {
    await lstat(join(path, name));
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw toPathError(error);
  }
}

const succeeds = async (work: Promise<unknown>): Promise<boolean> =>
  await work.then(
    () => true,
    () => false,
  );

interface Opened {
  readonly handle: FileHandle;
  /** The path without symbolic links. */
  readonly real: string;
}

interface Opening {
  readonly flags: number;
  /** Throws for a file that cannot be used. */
  check(stats: Stats): void;
}

async function openWithin(path: string, bounds: Bounds, { flags, check }: Opening): Promise<Opened> {
  const named = checkNamed(path, bounds);
  let handle: FileHandle | undefined;
  try {
    const real = await findReal(named);
    checkReal(real, bounds);
    // Opening a device or a pipe would have effects.
    check(await lstat(real));
    handle = await open(real, flags | constants.O_NOFOLLOW);
    const opened = await findOpened(handle, real);
    checkReal(opened, bounds);
    check(await handle.stat());
    return { handle, real: opened };
  } catch (error) {
    await handle?.close();
    throw toPathError(error);
  }
}

/**
 * Resolves the symbolic links of the existing part of a path. Missing paths outside the allowed folders and hidden paths must look the same as
 * existing ones.
 */
async function findReal(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path || !["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) throw error;
    const real = join(await findReal(parent), basename(path));
    const target = await readlink(real).catch(() => undefined);
    return target === undefined ? real : await findReal(resolve(dirname(real), target));
  }
}

/** Returns the path of an open file: from the kernel if possible, otherwise after a check that the path leads to the same file. */
async function findOpened(handle: FileHandle, path: string): Promise<string> {
  const known = process.platform === "linux" ? await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined) : undefined;
  if (known !== undefined) return known;
  const real = await realpath(path);
  const [one, other] = await Promise.all([handle.stat(), stat(real)]);
  if (one.dev !== other.dev || one.ino !== other.ino)
    throw new AppError("CONFLICT", "The file was replaced while it was opened. Try again.");
  return real;
}

function checkFile(stats: Stats): void {
  if (stats.isFile()) return;
  const what = stats.isDirectory() ? "is a folder. Send its files one by one, or make a ZIP of it" : "is not a regular file. Send a file";
  throw new AppError("VALIDATION_FAILED", `The path ${what}.`);
}

function checkFolder(stats: Stats): void {
  if (!stats.isDirectory()) throw new AppError("VALIDATION_FAILED", "A part of the path is not a folder. Send a path in a folder.");
}

/** Converts an error of the operating system to a sentence; returns other errors. */
export function toPathError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  switch (systemCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return new AppError("NOT_FOUND", "There is nothing at this path. Check its name.", { cause: error });
    case "EACCES":
    case "EPERM":
      return new AppError("FORBIDDEN", "The user who runs this MCP server may not use this path.", { cause: error });
    case "ELOOP":
      return new AppError("FORBIDDEN", "The path has a symbolic link that is not followed. Send the path of the file itself.", {
        cause: error,
      });
    case "ENAMETOOLONG":
      return new AppError("VALIDATION_FAILED", "The path is too long. Send a shorter one.", { cause: error });
    default:
      return error;
  }
}
