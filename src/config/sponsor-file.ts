import { readFileSync, statSync } from "node:fs";
import { z } from "zod";

/** Largest fragment of a sponsor: a notice, not a site. */
const MAX_KB = 64;

/** The path of an HTML fragment becomes its text, read at once; what is wrong with the file is said as of any other setting. */
export const sponsorFile = z.string().transform((path, context): string => {
  const read = readFragment(path);
  if (read.html !== undefined) return read.html;
  context.addIssue(read.problem);
  return z.NEVER;
});

type Fragment = { readonly html: string } | { readonly html?: undefined; readonly problem: string };

/** Looks before it reads: a pipe or a device would have no end. */
function readFragment(path: string): Fragment {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { problem: `${path} is not a file` };
    if (stats.size > MAX_KB * 1024) return { problem: `${path} is larger than ${MAX_KB} KB` };
    const html = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)).trim();
    return html === "" ? { problem: `${path} is empty` } : { html };
  } catch (error) {
    if (error instanceof TypeError) return { problem: `${path} is not text in UTF-8` };
    return { problem: `cannot read ${path} (${error instanceof Error ? error.message : String(error)})` };
  }
}
