/** Columns, indented lines, and lines of one long word, such as keys and digests. A URL is a part of prose. */
const ARRANGED = /\t|\S {3,}\S|^ {2,}\S|^(?!https?:)[!-~]{40,}$|^-{5}BEGIN /m;
const CODE_LINE = /[{};]\s*$|^\s*(?:[<$]|\/\/|#!|>>>)/;
/** The largest share of the lines of prose that look like code. */
const MAX_CODE_SHARE = 0.1;

/** Returns whether a text is prose, such as a note or a letter, and not code, a log or a list in columns (previews, "Documents"). */
export function isProse(name: string, contentType: string, text: string): boolean {
  const isNote = /\.(?:txt|text)$/i.test(name) || !name.includes(".");
  if (!isNote || !/^(?:text\/plain\b|$)/.test(contentType) || ARRANGED.test(text)) return false;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.filter((line) => CODE_LINE.test(line)).length <= lines.length * MAX_CODE_SHARE;
}
