/** The files chosen for a share, each with its path in it. */
export interface Chosen {
  /** With `/` between folders; different for each file. */
  readonly path: string;
  readonly file: File;
}

/** A path as chosen, from an input, a drop or the clipboard. */
export const toChosen = (file: File): Chosen => ({ path: file.webkitRelativePath || file.name || "file", file });

/** Adds files. One that is there already is not added again; another one with the same path gets a number. */
export function addChosen(chosen: readonly Chosen[], added: readonly Chosen[]): readonly Chosen[] {
  const byPath = new Map(chosen.map((one) => [one.path, one.file]));
  const all = [...chosen];
  for (const one of added) {
    const path = findPath(byPath, one);
    if (path === undefined) continue;
    byPath.set(path, one.file);
    all.push({ path, file: one.file });
  }
  return all;
}

function findPath(byPath: ReadonlyMap<string, File>, { path, file }: Chosen): string | undefined {
  const [, stem = path, extension = ""] = /^(.*[^/])(\.[^./]+)$/s.exec(path) ?? [];
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? path : `${stem} (${count})${extension}`;
    const known = byPath.get(candidate);
    if (known === undefined) return candidate;
    if (known.size === file.size && known.lastModified === file.lastModified) return undefined;
  }
}

export const sumBytes = (chosen: readonly Chosen[]): number => chosen.reduce((sum, { file }) => sum + file.size, 0);
