import { AppError } from "../../errors.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { isInFolder, pathInShare, withoutEmptySegments } from "../../lib/text/relative-path.ts";
import { didYouMean } from "../../lib/text/suggestions.ts";

interface Named {
  readonly id: string;
  readonly name: string;
  readonly relativePath: string | null;
}

/** Names that are searched for a similar one. */
const MAX_SUGGESTED = 200;

/**
 * Returns the files that names or patterns choose, in their order; without any, all files. A name is the name of a file, its path in the share, a
 * folder, or its ID. In a pattern `*` and `?` stand for characters of a segment, `**` for any. Throws NOT_FOUND for a pattern that chooses nothing.
 */
export function chooseByNames<File extends Named>(files: readonly File[], patterns: readonly string[]): readonly File[] {
  if (patterns.length === 0) return files;
  const chosen = new Set<File>();
  for (const pattern of patterns) {
    const matching = files.filter((file) => isChosen(file, pattern));
    if (matching.length === 0) {
      if (URL.canParse(pattern)) throw new AppError("VALIDATION_FAILED", "This command downloads one link. Run it once for each link.");
      const suggestion = didYouMean(pattern, files.slice(0, MAX_SUGGESTED).map(pathInShare).map(toSingleLine));
      throw new AppError("NOT_FOUND", `The share has no file "${toSingleLine(pattern).slice(0, 200)}".${suggestion}`);
    }
    for (const file of matching) chosen.add(file);
  }
  return files.filter((file) => chosen.has(file));
}

function isChosen(file: Named, pattern: string): boolean {
  const path = pathInShare(file);
  const wanted = withoutEmptySegments(pattern.replace(/^\.\//, ""));
  if (wanted === "") return false;
  if (path === wanted || file.id === pattern || isInFolder(path, wanted)) return true;
  if (!wanted.includes("/") && (file.name === wanted || path.endsWith(`/${wanted}`))) return true;
  if (!/[*?]/.test(wanted)) return false;
  const expression = toExpression(wanted);
  return expression.test(path) || (!wanted.includes("/") && expression.test(path.slice(path.lastIndexOf("/") + 1)));
}

/** Converts a pattern into an expression. `*` does not match a slash. */
function toExpression(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/?|\*|\?|[^*?]+/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : part.replace(/[.+^${}()|[\]\\/]/g, "\\$&");
  });
  return new RegExp(`^${source}$`, "u");
}
