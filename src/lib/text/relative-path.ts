/** Returns the path of a file within its share: its relative path without empty segments, otherwise its name. */
export function pathInShare({ name, relativePath }: { readonly name: string; readonly relativePath?: string | null }): string {
  // A path that ends with a slash names no file.
  return withoutEmptySegments(relativePath?.endsWith("/") ? relativePath + name : (relativePath ?? name)) || name;
}

/** Removes empty segments from a path, because paths in a share have none: `a/b` for `/a//b/`. */
export const withoutEmptySegments = (path: string): string =>
  path
    .split("/")
    .filter((segment) => segment !== "")
    .join("/");

/** Returns whether a path is in a folder, or is the folder. The empty folder contains everything. */
export const isInFolder = (path: string, folder: string): boolean => folder === "" || path === folder || path.startsWith(`${folder}/`);

/** Returns the folder that contains all paths; empty if there is none. */
export function commonFolder(paths: readonly string[]): string {
  const [first = ""] = paths;
  let end = first.lastIndexOf("/");
  while (end > 0 && !paths.every((path) => path.startsWith(first.slice(0, end + 1)))) end = first.lastIndexOf("/", end - 1);
  return first.slice(0, Math.max(0, end));
}
