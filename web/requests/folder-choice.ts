/** A folder that a form offers. */
export interface FolderChoice {
  readonly id: string;
  /** Its name, after those of the folders around it. */
  readonly path: string;
}
