let folder: string | undefined;

/** Sets where native code may be written if the system's folder of temporary files does not serve. */
export function setAddonFolder(path: string): void {
  folder = path;
}

/** The folder that was set; undefined before. */
export const findAddonFolder = (): string | undefined => folder;
