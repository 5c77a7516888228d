import { type LocalFile, openLocalFile } from "../upload-file/local-file.ts";
import type { LocalEntry } from "./collect.ts";

/** What is sent in place of the bytes of files, such as their encryption. */
export interface SourceTransform {
  /** Identifies the transform: equal for an upload that continues an earlier one. Has no secrets. */
  readonly id: string;
  /** The path in the share of a file with this path. */
  path(path: string): string;
  sizeBytes(sizeBytes: number): number;
  /** Takes over the file. A later process that continues the upload gets the same bytes. */
  wrap(file: LocalFile): Promise<LocalFile>;
  /** For input whose size is unknown. */
  stream(input: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** What follows the `#` of the share's link. */
  readonly fragmentKey?: string | undefined;
}

export const linkWithKey = (url: string, transform: SourceTransform | undefined): string =>
  transform?.fragmentKey === undefined ? url : `${url}#${transform.fragmentKey}`;

/** Opens what is sent for a file. */
export async function openSource({ source, path }: LocalEntry, transform: SourceTransform | undefined): Promise<LocalFile> {
  const file = await openLocalFile({ path: source, name: path });
  if (!transform) return file;
  try {
    return await transform.wrap(file);
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}
