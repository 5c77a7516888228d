/** The length of a piece of many lines. Parsing it takes about ten milliseconds at most. */
const MAX_CHARACTERS = 32_000;
/** The beginning of a block outside lists, quotes and code, after an empty line. */
const BLOCK_START = /\n[ \t]*\n(?=[^\s>*+\-\d])/g;
const FENCE = /^ {0,3}(`{3,20}|~{3,20})(?![`~])([^\n]*)$/gm;
const MAX_LANGUAGE_CHARACTERS = 20;

/**
 * Splits a long Markdown text, because a piece is parsed in one step. Splits between two blocks if possible, otherwise between two lines. A code
 * block continues in the next piece.
 */
export function splitMarkdown(text: string): readonly string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > MAX_CHARACTERS) {
    const end = findEnd(rest);
    const piece = rest.slice(0, end);
    pieces.push(piece);
    const fence = openFence(piece);
    rest = (fence === undefined ? "" : `${fence}\n`) + rest.slice(end);
  }
  return [...pieces, rest];
}

/** Returns the end of the first piece. A longer line is not split, because it is parsed quickly. */
function findEnd(text: string): number {
  const half = MAX_CHARACTERS / 2;
  const window = text.slice(half, MAX_CHARACTERS);
  const start = [...window.matchAll(BLOCK_START)].at(-1);
  if (start !== undefined) return half + start.index + start[0].length;
  const before = window.lastIndexOf("\n");
  if (before >= 0) return half + before + 1;
  const after = text.indexOf("\n", MAX_CHARACTERS);
  return after < 0 ? text.length : after + 1;
}

/** Returns the line that opens the code block in which a piece ends; undefined if it ends outside one. */
function openFence(piece: string): string | undefined {
  let open: { readonly marker: string; readonly info: string } | undefined;
  for (const [, marker = "", info = ""] of piece.matchAll(FENCE)) {
    if (open === undefined) open = marker.startsWith("`") && info.includes("`") ? undefined : { marker, info };
    else if (info.trim() === "" && marker.startsWith(open.marker)) open = undefined;
  }
  return open && open.marker + open.info.slice(0, MAX_LANGUAGE_CHARACTERS);
}
