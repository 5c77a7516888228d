import type { BigIntStats, Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { MAX_SHIPMENT_FILES } from "../../contract/scalars.ts";
import { AppError, type ErrorCode, systemCode } from "../../errors.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { toFileName } from "../../lib/text/file-name.ts";
import { type Advice, ClientError } from "../client-error.ts";
import { contentVersionOf } from "../upload-file/local-file.ts";
import { mayBeInvalid, readDoubtfulNames } from "./invalid-names.ts";
import { createPathNames } from "./path-names.ts";

/** A file of this machine that is sent. */
export interface LocalEntry {
  /** The path in the share: safe names with `/` between folders, different for each file. */
  readonly path: string;
  /** The absolute path on this machine. */
  readonly source: string;
  readonly sizeBytes: number;
  /** Changes when the file is replaced or written: `contentVersion` of the opened file. */
  readonly version: string;
}

export interface Collected {
  readonly files: readonly LocalEntry[];
  /** Whether a folder or several files were named, which are sent as one shipment. */
  readonly isShipment: boolean;
  /** Files and folders that cannot be read, each with a sentence. */
  readonly unreadable: readonly UnreadablePath[];
  /** Notes about files that the rules leave out, one for each kind. */
  readonly notes: readonly Note[];
}

/** A sentence for the user, and what the user can do about it. */
export interface Note {
  readonly text: string;
  readonly advice?: Advice;
}

export interface UnreadablePath {
  readonly path: string;
  /** A sentence that says why. */
  readonly error: string;
  /** The code of the server's or this client's error; null for one of this machine. */
  readonly errorCode: ErrorCode | null;
}

interface CollectOptions {
  /** Whether links in folders are followed. Links that the user names always are. */
  readonly followLinks: boolean;
  readonly signal: AbortSignal;
}

/** The number of links that may lead to folders found before. A few links to each other make millions of paths. */
const MAX_REPEATS = 10_000;
/** The number of folders that are listed at the same time. */
const PARALLEL = 16;

/**
 * Finds the files of arguments. A folder's name is the first segment of its files' paths. Throws NOT_FOUND for a missing argument, VALIDATION_FAILED
 * for one that is neither a file nor a folder or for endless links, and QUOTA_EXCEEDED for more files than a shipment can have.
 */
export async function collectFiles(names: readonly string[], { followLinks, signal }: CollectOptions): Promise<Collected> {
  const files: LocalEntry[] = [];
  const unreadable: UnreadablePath[] = [];
  const emptyFolders: string[] = [];
  const links: string[] = [];
  const special: string[] = [];
  const repeated: string[] = [];
  const renamed: string[] = [];
  const paths = createPathNames();
  const named = new Set<string>();
  const visited = new Set<string>();
  let repeats = 0;
  let hasFolder = false;

  function addFile(path: string, source: string, stats: BigIntStats): void {
    if (files.length === MAX_SHIPMENT_FILES) throw tooManyFiles();
    const unique = paths.add(path);
    if (!source.replaceAll(sep, "/").endsWith(unique)) renamed.push(`${source} → ${unique}`);
    files.push({ path: unique, source, sizeBytes: Number(stats.size), version: contentVersionOf(source, stats) });
  }

  async function addFolder(folder: string, source: string, above: readonly string[]): Promise<void> {
    signal.throwIfAborted();
    let entries: Dirent[];
    try {
      entries = await readdir(source, { withFileTypes: true });
    } catch (error) {
      unreadable.push({ path: source, ...describeProblem(error) });
      return;
    }
    if (entries.length === 0) emptyFolders.push(source);
    if (entries.some(({ name }) => mayBeInvalid(name))) entries = await withoutInvalid(entries, source);
    entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    for (let start = 0; start < entries.length; start += PARALLEL) {
      const found = await Promise.all(entries.slice(start, start + PARALLEL).map((entry) => inspect(join(source, entry.name), entry)));
      for (const { name, path: inside, stats, error } of found) {
        signal.throwIfAborted();
        if (error !== undefined) unreadable.push({ path: inside, ...describeProblem(error) });
        else if (stats?.isFile()) addFile(joinPath(folder, name), inside, stats);
        else if (stats?.isDirectory()) await addInside(joinPath(folder, name), inside, { stats, above });
        else if (stats?.isSymbolicLink()) links.push(inside);
        else special.push(inside);
      }
    }
  }

  /** Reports the names that are not valid UTF-8, by which nothing can be opened, and returns the other entries. */
  async function withoutInvalid(entries: readonly Dirent[], source: string): Promise<Dirent[]> {
    const { invalid, valid } = await readDoubtfulNames(source);
    unreadable.push(...invalid.map((name) => ({ path: join(source, name), ...INVALID_NAME })));
    if (invalid.length === 0) return [...entries];
    // An invalid name appears in `entries` in its replaced form, which a valid name can equal: that entry is kept once.
    const isKept = ({ name }: Dirent, index: number): boolean =>
      !mayBeInvalid(name) || (valid.has(name) && entries.findIndex((other) => other.name === name) === index);
    return entries.filter(isKept);
  }

  /** Adds the contents of a folder. A link may lead to a folder that contains the link. */
  async function addInside(
    folder: string,
    source: string,
    { stats, above }: { readonly stats: BigIntStats; readonly above: readonly string[] },
  ): Promise<void> {
    const id = idOf(stats);
    if (followLinks && above.includes(id)) {
      links.push(source);
      return;
    }
    if (followLinks && visited.has(id)) repeats += 1;
    if (repeats > MAX_REPEATS) throw endlessLinks();
    visited.add(id);
    await addFolder(folder, source, [...above, id]);
  }

  async function inspect(path: string, { name }: Dirent) {
    try {
      return { name, path, stats: followLinks ? await stat(path, { bigint: true }) : await lstat(path, { bigint: true }) };
    } catch (error) {
      return { name, path, error };
    }
  }

  let invalidNames = 0;
  for (const name of names) {
    let found: Awaited<ReturnType<typeof findNamed>>;
    try {
      found = await findNamed(name);
    } catch (error) {
      // A pattern of the shell also finds names that are no UTF-8; the other files are sent.
      if (names.length === 1 || !mayBeInvalid(name)) throw error;
      invalidNames += 1;
      unreadable.push({ path: resolve(name), ...INVALID_NAME });
      continue;
    }
    const { source, stats } = found;
    const id = await realpath(source);
    if (named.has(id)) {
      repeated.push(source);
      continue;
    }
    named.add(id);
    if (stats.isFile()) addFile(toSentName(basename(source)), source, stats);
    else {
      hasFolder = true;
      // The root folder has no name.
      await addFolder(basename(source) === "" ? "" : toSentName(basename(source)), source, [idOf(stats)]);
    }
  }
  return {
    files,
    isShipment: hasFolder || named.size + invalidNames > 1,
    unreadable,
    notes: [
      ...noteOf(emptyFolders, "empty folder is", "empty folders are"),
      ...noteOf(links, "symbolic link is", "symbolic links are", { kind: "followLinks" }),
      ...noteOf(special, "entry is neither a file nor a folder, and is", "entries are neither files nor folders, and are"),
      ...noteOf(
        repeated,
        "file or folder was named twice, and the second time is",
        "files or folders were named twice, and the second time are",
      ),
      ...noteOfRenamed(renamed),
    ],
  };
}

const idOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

export const tooManyFiles = (): AppError =>
  new ClientError("QUOTA_EXCEEDED", `A shipment has at most ${MAX_SHIPMENT_FILES} files, and these are more.`, {
    advice: [{ kind: "sendAsOne" }],
  });

const endlessLinks = (): AppError =>
  new ClientError("VALIDATION_FAILED", `Symbolic links lead to the same folders more than ${MAX_REPEATS} times.`, {
    advice: [{ kind: "nameFolders" }],
  });

async function findNamed(name: string): Promise<{ readonly source: string; readonly stats: BigIntStats }> {
  const source = resolve(name);
  let stats: BigIntStats;
  try {
    stats = await stat(source, { bigint: true });
  } catch (error) {
    throw new AppError("NOT_FOUND", `${name} cannot be sent: ${describeProblem(error).error}`, { cause: error });
  }
  if (stats.isFile() || stats.isDirectory()) return { source, stats };
  throw new ClientError("VALIDATION_FAILED", `${name} is neither a file nor a folder.`, { advice: [{ kind: "sendInput" }] });
}

const joinPath = (folder: string, name: string): string => (folder === "" ? toSentName(name) : `${folder}/${toSentName(name)}`);

/** The name of a file on this device, in which a backslash does not separate folders. */
const toSentName = (name: string): string => toFileName(name.replaceAll("\\", ""));

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "It does not exist.",
  EACCES: "Permission denied.",
  EPERM: "Permission denied.",
  ELOOP: "Its symbolic links lead in a circle.",
  EIO: "The disk could not read it.",
  ENAMETOOLONG: "Its name or its path is too long.",
  ENOTDIR: "A part of its path is not a folder.",
};

const INVALID_NAME: Problem = { error: "Its name is not valid UTF-8. Rename it.", errorCode: null };

type Problem = Pick<UnreadablePath, "error" | "errorCode">;

/** Describes in a sentence why a file cannot be read. */
export function describeProblem(error: unknown): Problem {
  if (error instanceof AppError) return { error: error.message, errorCode: error.code };
  const code = systemCode(error) ?? "unknown";
  if (code === "ENOENT" && error instanceof Error && mayBeInvalid(error.message)) return INVALID_NAME;
  return { error: PROBLEMS[code] ?? `It cannot be read (${code}).`, errorCode: null };
}

const SHOWN = 3;
const listSome = (items: readonly string[]): string => `${items.slice(0, SHOWN).join(", ")}${items.length > SHOWN ? ", …" : ""}.`;

/** Makes the note of names that the share has in another form, each as `before → after`. */
export const noteOfRenamed = (renamed: readonly string[]): readonly { readonly text: string }[] =>
  renamed.length === 0 ? [] : [{ text: `${countOf(renamed.length, "name")} changed for the share: ${listSome(renamed)}` }];

function noteOf(paths: readonly string[], one: string, many: string, advice?: Advice): readonly Note[] {
  if (paths.length === 0) return [];
  const text = `${paths.length} ${paths.length === 1 ? one : many} not sent: ${listSome(paths)}`;
  return [{ text, ...(advice && { advice }) }];
}
