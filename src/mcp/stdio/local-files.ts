import { realpath } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { UploadRecords } from "../../client/records/upload-records.ts";
import type { RemoteApi } from "../../client/server/remote-api.ts";
import { InputNeeded } from "../client-input.ts";
import type { ToolArguments, ToolRun } from "../tool.ts";
import type { AllowedFolder, Bounds } from "./allowed-folders.ts";

/** The environment of tools with a `path`. */
export interface LocalFiles {
  readonly api: RemoteApi;
  readonly records: UploadRecords;
  readonly folders: readonly AllowedFolder[];
  /** Paths of files with secrets, without symbolic links. */
  readonly secretPaths: readonly string[];
  /** The roots of calls that the client repeats with another answer, by the calls' arguments. */
  readonly answeredRoots: Map<string, readonly string[]>;
}

interface Call {
  readonly run: ToolRun;
  readonly args: ToolArguments;
}

/**
 * Does work within the folders that the user has allowed and, if the client has roots, within those too. The client is asked in each call, so changes
 * apply immediately (mcp, "Roots").
 */
export async function withBounds<Result>(
  { folders, secretPaths, answeredRoots }: LocalFiles,
  { run, args }: Call,
  work: (bounds: Bounds) => Promise<Result>,
): Promise<Result> {
  if (folders.length === 0) return await work({ folders, secretPaths, roots: undefined });
  const call = JSON.stringify(args);
  const uris = answeredRoots.get(call) ?? run.findRoots();
  answeredRoots.delete(call);
  try {
    return await work({ folders, secretPaths, roots: uris && (await findRealPaths(uris)) });
  } catch (error) {
    // The client repeats the call with another answer, such as an unlock code.
    if (error instanceof InputNeeded && uris !== undefined) answeredRoots.set(call, uris);
    throw error;
  }
}

/** Finds the paths of existing roots, without symbolic links. */
async function findRealPaths(uris: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const uri of uris) {
    try {
      found.push(await realpath(fileURLToPath(uri)));
    } catch {
      // The root is not a folder of this machine.
    }
  }
  return found;
}
