import { createHash } from "node:crypto";
import { appendFile, lstat, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { hashPath } from "../../lib/system/hash-path.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { parseJson } from "../../lib/text/parse-json.ts";
import { numberedNames } from "../download-file/save-file.ts";
import { type Environment, makePrivateFolder, removeOldFiles, stateFolder } from "../records/private-files.ts";

/** `source`: the file at the server and its SHA-256 there. `isPlaced`: whether the file has this path, and not a path with a number. */
const savedFile = z.object({ source: z.string(), path: z.string(), sha256: z.string(), isPlaced: z.boolean() });
type SavedFile = z.infer<typeof savedFile>;

/**
 * The decrypted files that this device has saved at one place. They are remembered because the server only knows the digests of the encrypted files. If
 * nothing can be written, nothing is remembered.
 */
export interface SavedFiles {
  /** Remembers a file before it gets its path, and again with its final path. */
  add(file: SavedFile): Promise<void>;
  /** Finds the path of a file that was saved before, if its bytes are unchanged. */
  find(source: string, signal: AbortSignal): Promise<string | undefined>;
}

const MAX_AGE_MS = 30 * DAY_MS;

/** Opens the files of a place: a list that only the user can read, and that is removed 30 days after the last file. `place` is an absolute path. */
export async function openSavedFiles(place: string, env: Environment): Promise<SavedFiles> {
  const folder = join(stateFolder(env), "decrypted");
  const list = join(folder, `${createHash("sha256").update(place).digest("hex")}.jsonl`);
  await removeOldFiles(folder, MAX_AGE_MS);
  const text = await readFile(list, "utf8").catch(() => "");
  const files = new Map<string, SavedFile>();
  for (const line of text.split("\n")) {
    const file = savedFile.safeParse(parseJson(line)).data;
    if (file) files.set(file.source, file);
  }
  return {
    async add(file) {
      const write = async (): Promise<void> => {
        await makePrivateFolder(folder);
        await appendFile(list, `${JSON.stringify(file)}\n`, { mode: 0o600 });
      };
      await write().catch(() => undefined);
    },
    async find(source, signal) {
      const file = files.get(source);
      if (file === undefined) return undefined;
      for await (const path of pathsOf(file)) {
        const sha256 = await hashPath(path, signal).catch(() => undefined);
        signal.throwIfAborted();
        if (sha256 === file.sha256) return path;
      }
      return undefined;
    },
  };
}

/** Lists the possible paths of a file. If its final path is unknown, they include the existing names with numbers. */
async function* pathsOf({ path, isPlaced }: SavedFile): AsyncGenerator<string> {
  yield path;
  if (isPlaced) return;
  const [, ...numbered] = numberedNames(basename(path));
  for (const name of numbered) {
    const other = join(dirname(path), name);
    if ((await lstat(other).catch(() => undefined)) === undefined) return;
    yield other;
  }
}
