import { type LocalFile, openLocalFile } from "../upload-file/local-file.ts";
import type { LocalEntry } from "./collect.ts";

/** The transformation of files before they are sent, such as their encryption. */
export interface SourceTransform {
  /** Identifies the transform, without secrets. An upload that continues an earlier one has the same value. */
  readonly id: string;
  /** Returns the path in the share of a file with this path. */
  path(path: string): string;
  sizeBytes(sizeBytes: number): number;
  /** Transforms a file, which it then owns. A later process that continues the upload gets the same bytes. */
  wrap(file: LocalFile): Promise<LocalFile>;
  /** Transforms input of unknown size. */
  stream(input: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** The fragment (the text after `#`) of the share's link. */
  readonly fragmentKey?: string | undefined;
  /** Whether names are inside the encryption. The paths in the share do not contain them. */
  readonly hidesNames: boolean;
}

export const linkWithKey = (url: string, transform: SourceTransform | undefined): string =>
  transform?.fragmentKey === undefined ? url : `${url}#${transform.fragmentKey}`;

/** Opens the bytes that are sent for a file. */
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
