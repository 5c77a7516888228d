/** The files chosen for a share, each with its path in it. */
import { findContent, findPending, type PendingFile } from "../../site/browser/device/pending-files.ts";
import type { SentFile } from "../../site/browser/device/shares.ts";
import { createDigester } from "../../site/browser/upload/digest.ts";
import type { Content } from "../../site/browser/upload/resume-records.ts";

export interface ChosenFile {
  /** Folders and name with `/` between them; different for each file. */
  readonly path: string;
  readonly file: File;
}

/** A path as chosen, from an input, a drop or the clipboard. */
export const toChosenFile = (file: File): ChosenFile => ({ path: file.webkitRelativePath || file.name || "file", file });

/** The files of this page by what is remembered of them: their bytes can be compared. */
const filesOf = new WeakMap<SentFile, File>();

/** What is remembered of a chosen file. */
export function toSentFile({ path, file }: ChosenFile): SentFile {
  const sent = { path, sizeBytes: file.size, lastModified: file.lastModified };
  filesOf.set(sent, file);
  return sent;
}

/** The files that a share has. `shortId`: set if this device may have sent some of them before. */
interface Known {
  readonly shortId?: string;
  readonly files: readonly SentFile[];
}

/**
 * Picks the added files that are not among the known files: another file has another path, or other bytes. A file with the path of another one
 * gets a number (pages, "One link for everything").
 */
export async function pickNew({ shortId, files }: Known, added: readonly ChosenFile[]): Promise<readonly ChosenFile[]> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const picked: ChosenFile[] = [];
  for (const one of added) {
    const path = await findPath(byPath, one, (known) => isSame(known, one.file, shortId));
    if (path === undefined) continue;
    const named = { path, file: one.file };
    byPath.set(path, toSentFile(named));
    picked.push(named);
  }
  return picked;
}

/** Splits files that were chosen for an unfinished share into those that are missing in it, and those that it does not know, as chosen. */
export async function splitChosen(
  missing: readonly PendingFile[],
  share: Known,
  chosen: readonly ChosenFile[],
): Promise<{ readonly found: readonly ChosenFile[]; readonly others: readonly ChosenFile[] }> {
  const unfinished = new Set(missing.map(({ path }) => path));
  const sent = { ...share, files: share.files.filter(({ path }) => !unfinished.has(path)) };
  // A file that was sent already may look like a missing one: same size, same time.
  const candidates: ChosenFile[] = [];
  for (const one of chosen)
    if (!missing.some(({ sizeBytes, lastModified }) => sizeBytes === one.file.size && lastModified === one.file.lastModified))
      candidates.push(one);
    else if ((await pickNew(sent, [one])).length > 0) candidates.push(one);
  const found = findPending(missing, candidates);
  const same = new Set(found.map(({ file }) => file));
  const rest = candidates.filter(({ file }) => !same.has(file));
  const unknown = new Set((await pickNew(share, rest)).map(({ file }) => file));
  return { found, others: rest.filter(({ file }) => unknown.has(file)) };
}

/** The files of one choice, each once: those with the path of another get numbers. */
export function nameChosen(files: readonly File[]): readonly ChosenFile[] {
  const byPath = new Map<string, File>();
  for (const { path, file } of files.map(toChosenFile))
    for (const candidate of candidatesOf(path)) {
      if (byPath.has(candidate)) continue;
      byPath.set(candidate, file);
      break;
    }
  return [...byPath].map(([path, file]) => ({ path, file }));
}

/** Adds the files that are new. */
export const addChosen = async (chosen: readonly ChosenFile[], added: readonly ChosenFile[]): Promise<readonly ChosenFile[]> => [
  ...chosen,
  ...(await pickNew({ files: chosen.map(toSentFile) }, added)),
];

async function findPath(
  byPath: ReadonlyMap<string, SentFile>,
  { path }: ChosenFile,
  isSame: (known: SentFile) => Promise<boolean>,
): Promise<string | undefined> {
  for (const candidate of candidatesOf(path)) {
    const known = byPath.get(candidate);
    if (known === undefined) return candidate;
    if (await isSame(known)) return undefined;
  }
  return undefined;
}

/** The path, and then the same with numbers, without end. */
function* candidatesOf(path: string): Generator<string> {
  const [, stem = path, extension = ""] = /^(.*[^/])(\.[^./]+)$/s.exec(path) ?? [];
  yield path;
  for (let count = 2; ; count += 1) yield `${stem} (${count})${extension}`;
}

/** Compares the bytes, or their digests. Of a file that was not sent, or of which nothing else is remembered, only the time. */
async function isSame(known: SentFile, file: File, shortId: string | undefined): Promise<boolean> {
  if (known.sizeBytes !== file.size) return false;
  const other = filesOf.get(known);
  if (other !== undefined) return await haveSameBytes(other, file);
  const content = shortId === undefined ? undefined : await findContent(shortId, known.path);
  return content === undefined ? known.lastModified === file.lastModified : await hasContent(file, content);
}

const COMPARED_BYTES = 1024 ** 2;

/** False for files that cannot be read: sending them tells why. */
async function haveSameBytes(one: File, other: File): Promise<boolean> {
  if (one === other) return true;
  try {
    for (let start = 0; start < one.size; start += COMPARED_BYTES) {
      const slices = [one, other].map((file) => file.slice(start, start + COMPARED_BYTES).arrayBuffer());
      const [left, right] = (await Promise.all(slices)).map((buffer) => new Uint8Array(buffer));
      if (left?.some((byte, index) => byte !== right?.[index])) return false;
    }
    return true;
  } catch {
    return false;
  }
}

async function hasContent(file: File, { partBytes, digests }: Content): Promise<boolean> {
  const digester = createDigester();
  try {
    for (const [index, digest] of digests.entries()) {
      const start = index * partBytes;
      if ((await digester.digests([file.slice(start, start + partBytes)]))[0] !== digest) return false;
    }
    return true;
  } catch {
    return false;
  } finally {
    digester.close();
  }
}

export const sumBytes = (files: readonly { readonly sizeBytes: number }[]): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
