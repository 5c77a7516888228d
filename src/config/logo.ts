import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { readPngSize } from "../lib/formats/png.ts";
import { isSvg } from "../lib/formats/svg.ts";
import { readWebpSize } from "../lib/formats/webp.ts";

const MAX_LOGO_KB = 256;

/** The site's logo. */
export interface Logo {
  /** The name of its asset, which changes with the image: `logo-0123456789abcdef.svg`. */
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The problems of bytes that cannot be the logo, as the end of a sentence that begins with the image's name. */
const PROBLEMS = {
  empty: "is empty",
  tooLarge: `is larger than ${MAX_LOGO_KB} KB. Make it smaller`,
  unknown: "is damaged, or not an SVG, PNG or WebP image. Save it as one of these",
} as const;

export type LogoProblem = keyof typeof PROBLEMS;

/** Returns the image as the logo. Its content determines its format, whatever the name of its file is. */
export function toLogo(bytes: Uint8Array): Logo | { readonly problem: LogoProblem } {
  if (bytes.length === 0) return { problem: "empty" };
  if (bytes.length > MAX_LOGO_KB * 1024) return { problem: "tooLarge" };
  const format = findFormat(bytes);
  if (format === undefined) return { problem: "unknown" };
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return { name: `logo-${digest}.${format.extension}`, type: format.type, bytes: new Uint8Array(bytes) };
}

function findFormat(bytes: Uint8Array): { readonly type: string; readonly extension: string } | undefined {
  if (readPngSize(bytes)) return { type: "image/png", extension: "png" };
  if (readWebpSize(bytes)) return { type: "image/webp", extension: "webp" };
  return isSvg(bytes) ? { type: "image/svg+xml", extension: "svg" } : undefined;
}

/** Parses the path of an image into the image; problems with the file are reported like any invalid setting. */
export const logoFile = z.string().transform((path, context): Logo => {
  const bytes = readImage(path);
  const logo = typeof bytes === "string" ? bytes : toLogo(bytes);
  if (typeof logo !== "string" && !("problem" in logo)) return logo;
  context.addIssue(`${path} ${typeof logo === "string" ? logo : PROBLEMS[logo.problem]}`);
  return z.NEVER;
});

/** Reads an image. Checks the kind and size first, because a pipe or a device may never end. Returns a problem with the file as a text. */
function readImage(path: string): Uint8Array | string {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return "is not a file";
    if (stats.size > MAX_LOGO_KB * 1024) return PROBLEMS.tooLarge;
    return readFileSync(path);
  } catch (error) {
    return `cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
}

const BASE64 = /^(?:data:[\w.+/;=-]{0,100},)?([A-Za-z0-9+/]*={0,2})$/;

/** Parses an image in base64, or as a `data:` URL in base64. */
export const logoText = z.string().transform((text, context): Logo => {
  const encoded = BASE64.exec(text)?.[1];
  if (encoded === undefined) {
    context.addIssue("send an SVG, PNG or WebP image in base64");
    return z.NEVER;
  }
  const logo = toLogo(Buffer.from(encoded, "base64"));
  if (!("problem" in logo)) return logo;
  context.addIssue(`the image ${PROBLEMS[logo.problem]}`);
  return z.NEVER;
});

/** Returns the text of an image that `logoText` parses. */
export const formatLogo = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
