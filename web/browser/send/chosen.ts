/** The files chosen for a share, each with its path in it. */
import { findPending, type PendingFile } from "../device/pending-files.ts";
import type { SentFile } from "../device/shares.ts";

export interface Chosen {
  /** With `/` between folders; different for each file. */
  readonly path: string;
  readonly file: File;
}

/** A path as chosen, from an input, a drop or the clipboard. */
export const toChosen = (file: File): Chosen => ({ path: file.webkitRelativePath || file.name || "file", file });

/** What tells a chosen file from others. */
export const toSentFile = ({ path, file }: Chosen): SentFile => ({ path, sizeBytes: file.size, lastModified: file.lastModified });

/** Those that are not among the known files. Another file with the same path gets a number (pages, "One link for everything"). */
export function pickNew(known: readonly SentFile[], added: readonly Chosen[]): readonly Chosen[] {
  const byPath = new Map(known.map((file) => [file.path, file]));
  const picked: Chosen[] = [];
  for (const one of added) {
    const path = findPath(byPath, toSentFile(one));
    if (path === undefined) continue;
    byPath.set(path, toSentFile(one));
    picked.push({ path, file: one.file });
  }
  return picked;
}

/** Of files chosen for an unfinished share: those that are missing in it, and those that it does not know, as chosen. */
export function splitChosen(
  missing: readonly PendingFile[],
  known: readonly SentFile[],
  chosen: readonly Chosen[],
): { readonly found: readonly Chosen[]; readonly others: readonly Chosen[] } {
  const found = findPending(missing, chosen);
  const same = new Set(found.map(({ file }) => file));
  const rest = chosen.filter(({ file }) => !same.has(file));
  const unknown = new Set(pickNew(known, rest).map(({ file }) => file));
  return { found, others: rest.filter(({ file }) => unknown.has(file)) };
}

/** Adds the files that are new. */
export const addChosen = (chosen: readonly Chosen[], added: readonly Chosen[]): readonly Chosen[] => [
  ...chosen,
  ...pickNew(chosen.map(toSentFile), added),
];

function findPath(byPath: ReadonlyMap<string, SentFile>, { path, sizeBytes, lastModified }: SentFile): string | undefined {
  const [, stem = path, extension = ""] = /^(.*[^/])(\.[^./]+)$/s.exec(path) ?? [];
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? path : `${stem} (${count})${extension}`;
    const known = byPath.get(candidate);
    if (known === undefined) return candidate;
    if (known.sizeBytes === sizeBytes && known.lastModified === lastModified) return undefined;
  }
}

export const sumBytes = (files: readonly { readonly sizeBytes: number }[]): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
