import { lstat } from "node:fs/promises";
import { hashPath } from "../../lib/system/hash-path.ts";
import { ClientError } from "../client-error.ts";
import type { FetchedFile } from "./fetch-file.ts";

interface Expected {
  readonly sizeBytes?: number | undefined;
  readonly sha256?: string | undefined;
  readonly overwrite: boolean;
}

/**
 * Finds the file at a path if it already is the expected one. Throws CONFLICT, before a download is counted, if the path has something else that must
 * not be replaced.
 */
export async function checkTarget(path: string | undefined, expected: Expected, signal: AbortSignal): Promise<FetchedFile | undefined> {
  if (path === undefined) return undefined;
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isDirectory()) throw new ClientError("CONFLICT", `${path} is a folder.`, { advice: [{ kind: "rename" }] });
  const { sizeBytes, sha256 } = expected;
  if (found.isFile() && sha256 !== undefined && found.size === sizeBytes && (await hashPath(path, signal)) === sha256)
    return { path, sizeBytes: found.size, sha256, verified: true };
  if (!found.isFile() && !found.isSymbolicLink())
    throw new ClientError("CONFLICT", `${path} is a device, pipe or socket, which no file replaces.`, { advice: [{ kind: "rename" }] });
  if (expected.overwrite) return undefined;
  throw new ClientError("CONFLICT", `${path} exists.`, { advice: [{ kind: "replaceOrRename" }] });
}
