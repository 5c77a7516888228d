import { appendFile, lstat, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { hashPath } from "../../lib/system/hash-path.ts";
import { parseJson } from "../../lib/text/parse-json.ts";
import { openSigner } from "../download-file/part-secret.ts";
import { numberedNames } from "../download-file/save-file.ts";
import type { Environment } from "../records/private-files.ts";

/** `isPlaced`: whether the file has this path, and not a path with a number. */
const savedFile = z.object({ id: z.string(), path: z.string(), sha256: z.string(), isPlaced: z.boolean() });
type SavedFile = z.infer<typeof savedFile>;
const signedLine = z.object({ file: z.string(), signature: z.string() });

/**
 * The decrypted files that an unfinished download of a shipment has saved. They are listed because the server only knows the digests of the encrypted
 * files.
 */
export interface SavedFiles {
  /** Remembers a file before it gets its path, and again with its final path. */
  add(file: SavedFile): Promise<void>;
  /** Finds the path of a file that was saved before, if its bytes are unchanged. */
  find(id: string, signal: AbortSignal): Promise<string | undefined>;
  /** Removes the list. */
  remove(): Promise<void>;
}

/** Opens the list at a path. Ignores lines that this user's client has not signed. */
export async function openSavedFiles(path: string, env: Environment): Promise<SavedFiles> {
  const signer = await openSigner(env);
  const text = await readFile(path, "utf8").catch(() => "");
  const files = new Map<string, SavedFile>();
  for (const line of text.split("\n")) {
    const signed = signedLine.safeParse(parseJson(line)).data;
    if (signed === undefined || !signer.isSigned(signed.file, signed.signature)) continue;
    const file = savedFile.safeParse(parseJson(signed.file)).data;
    if (file) files.set(file.id, file);
  }
  return {
    async add(file) {
      const text = JSON.stringify(file);
      await appendFile(path, `${JSON.stringify({ file: text, signature: signer.sign(text) })}\n`, { mode: 0o600 });
    },
    async find(id, signal) {
      const file = files.get(id);
      if (file === undefined) return undefined;
      for await (const path of pathsOf(file)) {
        const sha256 = await hashPath(path, signal).catch(() => undefined);
        signal.throwIfAborted();
        if (sha256 === file.sha256) return path;
      }
      return undefined;
    },
    remove: () => rm(path, { force: true }),
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
