import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { AppError, invalidField, systemCode } from "../../errors.ts";

/** A folder that the user has allowed. */
export interface AllowedFolder {
  /** The absolute path that the user named. */
  readonly named: string;
  /** The path without symbolic links. */
  readonly real: string;
}

/** Finds the folders of `--allow`; `~/` is the home folder. Throws VALIDATION_FAILED for a path that is not absolute or no folder. */
export async function resolveAllowedFolders(names: readonly string[]): Promise<readonly AllowedFolder[]> {
  const found: AllowedFolder[] = [];
  for (const name of names) {
    const named = /^~(?=$|[/\\])/.test(name) ? join(homedir(), name.slice(1)) : name;
    // A relative path would refer to the folder in which the client starts its servers.
    if (!isAbsolute(named))
      throw new AppError("VALIDATION_FAILED", `--allow ${name} is not an absolute path. Send one, or one that begins with ~/.`);
    try {
      const real = await realpath(named);
      if (!(await stat(real)).isDirectory()) throw new AppError("VALIDATION_FAILED", `--allow ${name} is not a folder. Name a folder.`);
      found.push({ named: resolve(named), real });
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError(
        "VALIDATION_FAILED",
        `--allow ${name} cannot be used (${systemCode(error) ?? "unknown"}). Name an existing folder.`,
        {
          cause: error,
        },
      );
    }
  }
  return found;
}

export interface Bounds {
  readonly folders: readonly AllowedFolder[];
  /** Files with secrets, without symbolic links. They are never used, whatever their folder. */
  readonly secretPaths?: readonly string[];
  /** The client's roots, without symbolic links; undefined for a client without roots. */
  readonly roots: readonly string[] | undefined;
}

/**
 * Checks an absolute path that a client named, and resolves its `..`. Throws VALIDATION_FAILED for another path, and FORBIDDEN for a path outside the
 * allowed folders, before anything is read, so that its existence is not disclosed.
 */
export function checkNamed(path: string, { folders }: Bounds): string {
  if (!isAbsolute(path)) throw invalidField("path", "Send an absolute path.");
  if (path.includes("\0")) throw invalidField("path", "Send a path without NUL characters.");
  if (folders.length === 0)
    throw new AppError(
      "FORBIDDEN",
      "This MCP server may not use files of this machine. A person can allow a folder: they add --allow and the folder to the arguments of filehost mcp, and start it again.",
    );
  const resolved = resolve(path);
  if (!folders.some(({ named, real }) => isWithin(resolved, named) || isWithin(resolved, real))) throw outside(folders);
  return resolved;
}

/** Checks a path without symbolic links. Throws FORBIDDEN. */
export function checkReal(path: string, { folders, secretPaths = [], roots }: Bounds): void {
  if (secretPaths.some((secret) => isWithin(path, secret)))
    throw new AppError("FORBIDDEN", "This file may have a key of this machine's user. Choose another file.");
  const within = folders.filter(({ real }) => isWithin(path, real));
  if (within.length === 0) throw outside(folders);
  if (!within.some(({ real }) => !isHidden(relative(real, path))))
    throw new AppError(
      "FORBIDDEN",
      "Hidden files and folders, whose names begin with a dot, are only used if --allow names the hidden folder itself. Choose another file.",
    );
  if (roots !== undefined && !roots.some((root) => isWithin(path, root)))
    throw new AppError("FORBIDDEN", "The path is outside the folders that this client works in. Use a path within them.");
}

const outside = (folders: readonly AllowedFolder[]): AppError =>
  new AppError(
    "FORBIDDEN",
    `The path is outside the folders that this MCP server may use: ${folders.map(({ named }) => named).join(", ")}. Use a path within them, or ask a person to allow another folder with --allow.`,
  );

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Whether a name in the path begins with a dot. */
const isHidden = (path: string): boolean => path.split(sep).some((name) => name.startsWith("."));
