import { readFileSync, statSync } from "node:fs";
import { z } from "zod";

const MAX_KB = 64;

/** Parses the path of an HTML fragment into the fragment's text; problems with the file are reported like any invalid setting. */
export const sponsorFile = z.string().transform((path, context): string => {
  const fragment = readFragment(path);
  if (fragment.html !== undefined) return fragment.html;
  context.addIssue(fragment.problem);
  return z.NEVER;
});

type Fragment = { readonly html: string } | { readonly html?: undefined; readonly problem: string };

/** Reads a fragment. Checks the kind and size first, because a pipe or a device may never end. */
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
