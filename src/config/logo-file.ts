import { readFileSync, statSync } from "node:fs";
import { z } from "zod";

const MAX_KB = 256;
const TYPES: Readonly<Record<string, string>> = { svg: "image/svg+xml", png: "image/png", webp: "image/webp" };

/** The administrator's logo. */
export interface Logo {
  readonly type: string;
  /** `svg`, `png` or `webp`. */
  readonly extension: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Parses the path of an image into the image; problems with the file are reported like any invalid setting. */
export const logoFile = z.string().transform((path, context): Logo => {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const type = TYPES[extension];
  const bytes = type === undefined ? "is not an .svg, .png or .webp file" : readImage(path);
  if (type !== undefined && typeof bytes !== "string") return { type, extension, bytes };
  context.addIssue(`${path} ${bytes}`);
  return z.NEVER;
});

/** Checks the kind and size before it reads: a pipe or a device may never end. Returns what is wrong with the file as a text. */
function readImage(path: string): Uint8Array<ArrayBuffer> | string {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return "is not a file";
    if (stats.size === 0) return "is empty";
    if (stats.size > MAX_KB * 1024) return `is larger than ${MAX_KB} KB`;
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    return `cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
}
