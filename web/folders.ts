export interface FolderGroup<T> {
  /** Path without a slash at the end; empty for files outside folders. */
  readonly folder: string;
  readonly items: readonly { readonly item: T; readonly name: string }[];
}

const natural = new Intl.Collator("en", { numeric: true });

/** Groups files by folder: files outside folders first, folders and names in natural order (`2` before `10`). */
export function groupByFolder<T extends { readonly name: string; readonly relativePath?: string | null }>(
  files: readonly T[],
): readonly FolderGroup<T>[] {
  const folders = new Map<string, { item: T; name: string }[]>();
  for (const item of files) {
    const path = item.relativePath ?? item.name;
    const slash = path.lastIndexOf("/");
    const folder = path.slice(0, Math.max(0, slash));
    const items = folders.get(folder) ?? [];
    items.push({ item, name: path.slice(slash + 1) || item.name });
    folders.set(folder, items);
  }
  return [...folders]
    .map(([folder, items]) => ({ folder, items: items.toSorted((a, b) => natural.compare(a.name, b.name)) }))
    .toSorted((a, b) => natural.compare(a.folder, b.folder));
}
