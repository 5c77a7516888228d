let folder: string | undefined;

/** Sets the folder for native code, which is used if the system's folder of temporary files is unsuitable. */
export function setAddonFolder(path: string): void {
  folder = path;
}

/** Returns the folder that was set; undefined before that. */
export const findAddonFolder = (): string | undefined => folder;
