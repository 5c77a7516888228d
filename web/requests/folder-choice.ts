/** A folder that a form offers. */
export interface FolderChoice {
  readonly id: string;
  /** The name of the folder, after the names of the folders around it. */
  readonly path: string;
}
