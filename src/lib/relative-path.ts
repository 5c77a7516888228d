/** The path of a file within its share: its relative path without empty segments, otherwise its name. */
export function pathInShare({ name, relativePath }: { readonly name: string; readonly relativePath?: string | null }): string {
  const path = (relativePath ?? name).split("/").filter((segment) => segment !== "");
  // A path that ends with a slash names no file.
  return (relativePath?.endsWith("/") ? [...path, name] : path).join("/") || name;
}

/** Whether a path is in a folder, or is the folder. The empty folder contains everything. */
export const isInFolder = (path: string, folder: string): boolean => folder === "" || path === folder || path.startsWith(`${folder}/`);
