/** A folder that a form offers. */
export interface FolderChoice {
  readonly id: string;
  /** The name of the folder, after the names of the folders around it. */
  readonly path: string;
}

/** The value of the choice of a new folder, which gets the title of the request as its name. */
export const NEW_FOLDER = "new";
