/** The chosen files of a share, each with its path in the share. */
import type { SentFile } from "../../site/browser/device/shares.ts";

export interface ChosenFile {
  /** The folders and the name with `/` between them; different for each file. */
  readonly path: string;
  readonly file: File;
}

/** Returns a file with its chosen path, from an input, a drop or the clipboard. */
export const toChosenFile = (file: File): ChosenFile => ({ path: file.webkitRelativePath || file.name || "file", file });

/** The files of this page by their remembered data, so that their bytes can be compared. */
const filesOf = new WeakMap<SentFile, File>();

/** Returns the data of a chosen file that are remembered. */
export function toSentFile({ path, file }: ChosenFile): SentFile {
  const sent = { path, sizeBytes: file.size, lastModified: file.lastModified };
  filesOf.set(sent, file);
  return sent;
}

/** The files of a share. `shortId` is set if this device may have sent some of them before. */
export interface Known {
  readonly shortId?: string;
  readonly files: readonly SentFile[];
}

/**
 * Picks the added files that differ from the known files in their path or bytes. A file with the path of another one gets a number (pages, "One link
 * for everything").
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

/** Names the files of one choice. Each file occurs once; files with the path of another one get numbers. */
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

/** Adds the chosen files that are new. */
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

/** Yields the path, and then the path with numbers, endlessly. */
function* candidatesOf(path: string): Generator<string> {
  const [, stem = path, extension = ""] = /^(.*[^/])(\.[^./]+)$/s.exec(path) ?? [];
  yield path;
  for (let count = 2; ; count += 1) yield `${stem} (${count})${extension}`;
}

/** Whether a file equals a known one, by bytes or digests. Compares only the time if the known file was not sent, or its digest is not remembered. */
async function isSame(known: SentFile, file: File, shortId: string | undefined): Promise<boolean> {
  if (known.sizeBytes !== file.size) return false;
  const other = filesOf.get(known);
  if (other !== undefined) return await haveSameBytes(other, file);
  // Loaded only where files were sent before, so that the front page opens sooner.
  const isSent = shortId === undefined ? undefined : await (await import("./sent-content.ts")).hasSentContent(file, shortId, known.path);
  return isSent ?? known.lastModified === file.lastModified;
}

const COMPARED_BYTES = 1024 ** 2;

/** Whether two files have the same bytes. False for files that cannot be read, whose sending shows the reason. */
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

export const sumBytes = (files: readonly { readonly sizeBytes: number }[]): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
