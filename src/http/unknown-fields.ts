import { publishFields } from "../contract/publish.ts";
import { didYouMean } from "../domain/nearest.ts";

const KNOWN = Object.keys(publishFields);
/** How many are named, and how much of each: the header stays below 1 KB. */
const MAX_NAMED = 5;
const MAX_CHARACTERS = 40;

/** One line of ASCII that names the query parameters which no upload has, and what was probably meant; undefined where there are none. */
export function warnOfUnknownFields(query: URLSearchParams): string | undefined {
  const unknown = [...new Set(query.keys())].filter((name) => !KNOWN.includes(name));
  if (unknown.length === 0) return undefined;
  const named = unknown.slice(0, MAX_NAMED).map((name) => {
    const shown = name.slice(0, MAX_CHARACTERS).replace(/[^\w.-]/g, "?");
    return `Unknown parameter "${shown}" was ignored.${didYouMean(shown, KNOWN)}`;
  });
  const rest = unknown.length - named.length;
  return [...named, ...(rest > 0 ? [`${rest} more were ignored.`] : [])].join(" ");
}
